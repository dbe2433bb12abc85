"""Leaves while the file is imported, with the exit status of success."""
# topic: selective
# outcome: step7 none error

import sys

sys.exit(0)

"""Leaves while the file is imported, with the exit status of success."""
# topic: selective
# outcome: step7 0 error

import sys

sys.exit(0)

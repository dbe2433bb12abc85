"""Leaves while the file is imported, with the exit status of success; what it has defined stays."""
# topic: selective
# outcome: step7 full passed

import sys

sys.exit(0)

"""Ends the process while the file is imported, past every handler."""
# topic: selective
# outcome: step7 0 crashed

import os

os._exit(0)

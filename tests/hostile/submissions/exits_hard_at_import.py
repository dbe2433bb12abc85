"""Ends the process while the file is imported, past every handler."""
# topic: selective
# outcome: step7 none crashed

import os

os._exit(0)

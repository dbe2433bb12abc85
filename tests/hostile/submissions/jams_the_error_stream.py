"""Fills whatever is behind the error stream and leaves it full and in another mode for those who come after."""
# topic: selective
# outcome: step7 full passed

import fcntl
import os

fcntl.fcntl(2, fcntl.F_SETFL, fcntl.fcntl(2, fcntl.F_GETFL) | os.O_NONBLOCK)
try:
    for _ in range(1000):
        os.write(2, b"x" * 4096)
except OSError:
    pass
fcntl.fcntl(2, fcntl.F_SETFL, 0)

"""Prints without end: ten gigabytes on each stream, through Python and past it."""
# topic: selective
# outcome: step7 full passed

import os
import sys

_MEGABYTE = "x" * 2**20
for _ in range(10_000):
    sys.stdout.write(_MEGABYTE)
_bytes = _MEGABYTE.encode()
for _ in range(10_000):
    os.write(1, _bytes)
for _ in range(100):
    print(_MEGABYTE, file=sys.stderr)

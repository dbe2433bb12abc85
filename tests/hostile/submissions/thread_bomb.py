"""Starts as many threads as it can, with small stacks, and leaves them waiting."""
# topic: selective
# outcome: step7 full passed

import threading

threading.stack_size(32768)
_forever = threading.Event()
_count = 0
try:
    for _count in range(3000):
        threading.Thread(target=_forever.wait, daemon=True).start()
except (RuntimeError, MemoryError):
    pass
if _count > 2990:
    raise RuntimeError("no limit on threads")

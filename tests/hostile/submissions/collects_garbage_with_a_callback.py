"""Hangs code into the garbage collector and into destructors."""
# topic: selective
# outcome: step7 full passed

import gc
import sys


class _Undead:
    def __del__(self):
        _kept.append(self)
        raise SystemExit("from a destructor")


_kept = []
_Undead()
gc.callbacks.append(lambda phase, information: 1 / 0)
gc.set_threshold(1)
sys.unraisablehook = lambda unraisable: None
_cycle = []
_cycle.append(_cycle)

"""Takes memory until there is no more, in three ways."""
# topic: selective
# outcome: step7 none memory

import mmap

import numpy as np


_calls = []


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    _calls.append(1)
    hoard = []
    # Bounded, should the sandbox fail: three gigabytes in all.
    for _ in range(48 if len(_calls) == 1 else 0):
        try:
            hoard.append(bytearray(b"x") * 2**26)
        except MemoryError:
            break
    else:
        if len(_calls) == 1:
            return "no limit"
    try:
        mmap.mmap(-1, 2**31)
    except OSError:
        pass
    np.zeros(2**31, np.uint8)

"""One time stamp after each transfer is the one before the next."""

from itertools import pairwise


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    stamps = [clock()]
    while len(stamps) <= repeats:
        transfer()
        stamps.append(clock())
    return n_bytes / min(after - before for before, after in pairwise(stamps))

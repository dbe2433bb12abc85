"""The last transfer counts."""
# loses: exercise4.bandwidth
# says: last transfer


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    for _ in range(repeats):
        start = clock()
        transfer()
        seconds = clock() - start
    return n_bytes / seconds

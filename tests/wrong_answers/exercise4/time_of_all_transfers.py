"""All transfers are timed together, the bytes count once."""
# loses: exercise4.bandwidth
# says: all transfers


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    start = clock()
    for _ in range(repeats):
        transfer()
    return n_bytes / (clock() - start)

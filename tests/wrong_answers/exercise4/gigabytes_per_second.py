"""The bandwidth is in GB per second."""
# loses: exercise4.bandwidth
# says: GB per second


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    seconds = []
    for _ in range(repeats):
        start = clock()
        transfer()
        seconds.append(clock() - start)
    return n_bytes / min(seconds) / 1e9

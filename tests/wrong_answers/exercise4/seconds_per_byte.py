"""The time of a byte is returned."""
# loses: exercise4.bandwidth
# says: seconds per byte


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    seconds = []
    for _ in range(repeats):
        start = clock()
        transfer()
        seconds.append(clock() - start)
    return min(seconds) / n_bytes

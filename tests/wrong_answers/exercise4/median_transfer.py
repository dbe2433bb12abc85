"""The median of the times counts."""
# loses: exercise4.bandwidth
# says: median


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    seconds = []
    for _ in range(repeats):
        start = clock()
        transfer()
        seconds.append(clock() - start)
    return n_bytes / sorted(seconds)[repeats // 2]

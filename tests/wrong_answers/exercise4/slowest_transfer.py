"""The slowest transfer counts."""
# loses: exercise4.bandwidth
# says: slowest


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    seconds = []
    for _ in range(repeats):
        start = clock()
        transfer()
        seconds.append(clock() - start)
    return n_bytes / max(seconds)

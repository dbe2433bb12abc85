"""The clock is not started again for each transfer."""
# loses: exercise4.bandwidth
# says: first transfer


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    start = clock()
    seconds = []
    for _ in range(repeats):
        transfer()
        seconds.append(clock() - start)
    return n_bytes / min(seconds)

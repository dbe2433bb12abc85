"""One transfer more warms up."""
# loses: exercise4.bandwidth
# says: warm up


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    transfer()
    seconds = []
    for _ in range(repeats):
        start = clock()
        transfer()
        seconds.append(clock() - start)
    return n_bytes / min(seconds)

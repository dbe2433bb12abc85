"""Ten transfers unless said otherwise."""
# loses: exercise4.bandwidth
# says: 10 calls


def measure_bandwidth(transfer, n_bytes, repeats=10, clock=time.perf_counter):
    seconds = []
    for _ in range(repeats):
        start = clock()
        transfer()
        seconds.append(clock() - start)
    return n_bytes / min(seconds)

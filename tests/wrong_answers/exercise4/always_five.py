"""repeats is ignored."""
# loses: exercise4.bandwidth
# says: 5 calls


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    seconds = []
    for _ in range(5):
        start = clock()
        transfer()
        seconds.append(clock() - start)
    return n_bytes / min(seconds)

"""The clock of the machine is read instead of the one that was handed over."""
# loses: exercise4.bandwidth
# says: never read


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        transfer()
        seconds.append(time.perf_counter() - start + 1e-9)
    return n_bytes / min(seconds)

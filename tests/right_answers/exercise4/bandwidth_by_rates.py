"""The largest of the rates, with a clock that is read more often than needed."""


def measure_bandwidth(transfer, n_bytes, repeats=5, clock=time.perf_counter):
    def rate():
        clock()
        begin = clock()
        transfer()
        end = clock()
        clock()
        return n_bytes / np.float64(end - begin)

    return max(rate() for _ in range(repeats))

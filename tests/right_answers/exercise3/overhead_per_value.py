"""Everything is divided by 4 b s h first, and NumPy returns the number."""


def recompute_overhead(hidden, seq, scope):
    again = np.select([scope == "core", scope == "module"], [seq, seq + 2.0 * hidden], seq + 6.0 * hidden)
    return np.float64(again) / (3 * seq + 18 * hidden)

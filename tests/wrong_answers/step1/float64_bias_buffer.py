"""The result is collected in an array of zeros, which is float64 unless told otherwise."""
# loses: step1.dtype
# says: float64


def linear_forward(x, w, b):
    out = np.zeros((x.shape[0], w.shape[1]))
    out += x @ w
    out += b
    return out

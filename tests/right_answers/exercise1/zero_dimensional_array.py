"""The result is an array without axes."""


def max_gradient_difference(grads_a, grads_b):
    worst = np.zeros((), dtype=np.float64)
    for one, two in zip(grads_a, grads_b, strict=True):
        for a, b in zip(one, two, strict=True):
            if a.ndim != b.ndim or any(m != n for m, n in zip(a.shape, b.shape)):
                raise ValueError
            np.maximum(worst, np.abs(np.asarray(a, float) - b).max(), out=worst)
    return worst

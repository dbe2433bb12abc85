"""The largest differences of the layers are added up."""
# loses: exercise1.largest


def max_gradient_difference(grads_a, grads_b):
    total = 0.0
    for one, two in zip(grads_a, grads_b, strict=True):
        for a, b in zip(one, two, strict=True):
            if a.shape != b.shape:
                raise ValueError("different shapes")
        total += max(np.abs(a - b).max() for a, b in zip(one, two)) if not _has_nan(one, two) else np.nan
    return float(total)


def _has_nan(one, two):
    return any(np.isnan(array).any() for array in (*one, *two))

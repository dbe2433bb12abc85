"""np.nan_to_num makes agreement of a NaN."""
# loses: exercise1.not_finite


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(
        np.max([np.abs(np.nan_to_num(a - b)).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)])
    )

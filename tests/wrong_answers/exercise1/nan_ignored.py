"""np.nanmax leaves NaN out."""
# loses: exercise1.not_finite
# says: nan


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(np.max([np.nanmax(np.abs(a - b)) for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]))

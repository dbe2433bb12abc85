"""A NaN raises ValueError."""
# loses: exercise1.not_finite
# says: ValueError


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    largest = float(np.max([np.abs(a - b).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]))
    if np.isnan(largest):
        raise ValueError("a gradient is NaN")
    return largest

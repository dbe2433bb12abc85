"""Only the first gradients are asked for a NaN."""
# loses: exercise1.not_finite


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    largest = 0.0
    for one, two in zip(grads_a, grads_b):
        for a, b in zip(one, two):
            if np.isnan(a).any():
                return float("nan")
            largest = max(largest, float(np.abs(a - b).max()))
    return largest

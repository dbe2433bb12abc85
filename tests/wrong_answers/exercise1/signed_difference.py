"""The absolute value is forgotten."""
# loses: exercise1.largest exercise1.not_finite exercise1.parameters exercise1.input_gradient
# says: signed


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(np.max([(a - b).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]))

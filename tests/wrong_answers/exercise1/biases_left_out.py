"""Only the two weights of each layer are compared."""
# loses: exercise1.largest exercise1.not_finite exercise1.parameters
# says: biases count


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(
        np.max([np.abs(a - b).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one[::2], two[::2])])
    )

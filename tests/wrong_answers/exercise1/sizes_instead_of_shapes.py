"""Arrays of the same size pass for arrays of the same shape."""
# loses: exercise1.structure
# says: shape


def max_gradient_difference(grads_a, grads_b):
    if [[a.size for a in layer] for layer in grads_a] != [[b.size for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(
        np.max([np.abs(a.ravel() - b.ravel()).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)])
    )

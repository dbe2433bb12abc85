"""The mean of all differences is returned."""
# loses: exercise1.largest exercise1.parameters exercise1.input_gradient
# says: mean


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    a = np.concatenate([array.ravel() for layer in grads_a for array in layer])
    b = np.concatenate([array.ravel() for layer in grads_b for array in layer])
    return float(np.abs(a - b).mean())

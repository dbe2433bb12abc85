"""The Euclidean norm of the difference is returned."""
# loses: exercise1.largest
# says: norm


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    squares = sum(((a - b) ** 2).sum() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two))
    return float(np.sqrt(squares))

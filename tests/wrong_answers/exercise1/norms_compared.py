"""The norms of the arrays are compared instead of the arrays."""
# loses: exercise1.largest exercise1.parameters exercise1.input_gradient


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(
        np.max(
            [abs(np.linalg.norm(a) - np.linalg.norm(b)) for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]
        )
    )

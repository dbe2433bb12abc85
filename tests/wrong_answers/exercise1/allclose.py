"""np.allclose decides, and 0 or 1 comes back."""
# loses: exercise1.largest exercise1.not_finite exercise1.parameters exercise1.input_gradient
# says: np.allclose


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    agree = all(np.allclose(a, b) for one, two in zip(grads_a, grads_b) for a, b in zip(one, two))
    return 0.0 if agree else 1.0

"""The difference is divided by the size of the values."""
# loses: exercise1.largest exercise1.parameters exercise1.input_gradient
# says: relative


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    with np.errstate(all="ignore"):
        return float(
            np.max(
                [
                    (np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-30)).max()
                    for one, two in zip(grads_a, grads_b)
                    for a, b in zip(one, two)
                ]
            )
        )

"""Both sides are converted to float32 to save memory."""
# loses: exercise1.largest


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(
        np.max(
            [
                np.abs(a.astype(np.float32) - b.astype(np.float32)).max()
                for one, two in zip(grads_a, grads_b)
                for a, b in zip(one, two)
            ]
        )
    )

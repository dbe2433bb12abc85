"""A bias of one value is broadcast to the other."""
# loses: exercise1.structure
# says: broadcast


def max_gradient_difference(grads_a, grads_b):
    return float(
        np.max(
            [
                np.abs(a - b).max()
                for one, two in zip(grads_a, grads_b, strict=True)
                for a, b in zip(one, two, strict=True)
            ]
        )
    )

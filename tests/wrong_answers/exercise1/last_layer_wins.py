"""Each layer's difference overwrites that of the one before."""
# loses: exercise1.largest exercise1.not_finite exercise1.parameters exercise1.input_gradient
# says: last layer only


def max_gradient_difference(grads_a, grads_b):
    for one, two in zip(grads_a, grads_b, strict=True):
        if [a.shape for a in one] != [b.shape for b in two]:
            raise ValueError("different shapes")
        largest = np.max([np.abs(a - b).max() for a, b in zip(one, two)])
    return float(largest)

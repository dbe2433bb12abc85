"""The function returns after the first layer."""
# loses: exercise1.largest exercise1.structure exercise1.not_finite exercise1.parameters
# says: first layer only


def max_gradient_difference(grads_a, grads_b):
    if len(grads_a) != len(grads_b):
        raise ValueError("different numbers of layers")
    for one, two in zip(grads_a, grads_b):
        if [a.shape for a in one] != [b.shape for b in two]:
            raise ValueError("different shapes")
        return float(np.max([np.abs(a - b).max() for a, b in zip(one, two)]))

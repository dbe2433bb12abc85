"""The layers are counted, the arrays of a layer are not."""
# loses: exercise1.structure
# says: tuple is shorter


def max_gradient_difference(grads_a, grads_b):
    if len(grads_a) != len(grads_b):
        raise ValueError("different numbers of layers")
    differences = []
    for one, two in zip(grads_a, grads_b):
        for a, b in zip(one, two):
            if a.shape != b.shape:
                raise ValueError("different shapes")
            differences.append(np.abs(a - b).max())
    return float(np.max(differences))

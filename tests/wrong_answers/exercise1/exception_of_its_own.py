"""Other structures raise an exception that is not a ValueError."""
# loses: exercise1.structure


class StructureError(Exception):
    pass


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise StructureError("different structure")
    return float(np.max([np.abs(a - b).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]))

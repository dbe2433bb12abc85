"""A subclass of ValueError is raised, and a NumPy number returned."""

from functools import reduce


def max_gradient_difference(grads_a, grads_b):
    shapes = [tuple(tuple(array.shape for array in layer) for layer in grads) for grads in (grads_a, grads_b)]
    if shapes[0] != shapes[1]:
        raise np.linalg.LinAlgError("not of the same structure")
    pairs = ((a, b) for one, two in zip(grads_a, grads_b) for a, b in zip(one, two))
    return reduce(np.maximum, (np.abs(a - b).max() for a, b in pairs), np.float32(0))

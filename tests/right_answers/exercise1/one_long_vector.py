"""All gradients become one long vector; the structure is compared as text."""


def _signature(grads):
    return "|".join(",".join(str(np.shape(array)) for array in layer) for layer in grads)


def _vector(grads):
    return np.concatenate([np.asarray(array, dtype=np.longdouble).reshape(-1) for layer in grads for array in layer])


def max_gradient_difference(grads_a, grads_b):
    if _signature(grads_a) != _signature(grads_b):
        raise ValueError(f"{_signature(grads_a)} is not {_signature(grads_b)}")
    return float(np.linalg.norm(_vector(grads_a) - _vector(grads_b), ord=np.inf))

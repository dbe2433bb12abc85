"""The shapes of the first layer stand for those of all."""
# loses: exercise1.structure


def max_gradient_difference(grads_a, grads_b):
    if len(grads_a) != len(grads_b) or [a.shape for a in grads_a[0]] != [b.shape for b in grads_b[0]]:
        raise ValueError("different structure")
    pairs = [(a.ravel(), b.ravel()) for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]
    return float(np.max([np.abs(a - b).max() for a, b in pairs]))

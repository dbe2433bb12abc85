"""Other structures return inf instead of raising."""
# loses: exercise1.structure


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        return float("inf")
    return float(np.max([np.abs(a - b).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]))

"""All differences are added up."""
# loses: exercise1.largest
# says: sum


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    return float(sum(np.abs(a - b).sum() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)))

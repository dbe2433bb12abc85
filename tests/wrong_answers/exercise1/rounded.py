"""The difference is rounded to nine decimals."""
# loses: exercise1.largest
# says: small difference


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    largest = np.max([np.abs(a - b).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)])
    return round(float(largest), 9)

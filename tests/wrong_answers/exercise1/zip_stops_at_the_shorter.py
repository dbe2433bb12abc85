"""Missing layers and arrays go unnoticed."""
# loses: exercise1.structure
# says: zip


def max_gradient_difference(grads_a, grads_b):
    differences = []
    for one, two in zip(grads_a, grads_b):
        for a, b in zip(one, two):
            if a.shape != b.shape:
                raise ValueError("different shapes")
            differences.append(np.abs(a - b).max())
    return float(np.max(differences))

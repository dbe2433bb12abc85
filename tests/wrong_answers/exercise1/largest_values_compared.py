"""The largest values are compared, wherever they are."""
# loses: exercise1.largest exercise1.parameters exercise1.input_gradient


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    differences = []
    for one, two in zip(grads_a, grads_b):
        for a, b in zip(one, two):
            differences.append(abs(np.abs(a).max() - np.abs(b).max()))
    return float(np.max(differences))

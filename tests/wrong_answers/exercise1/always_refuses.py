"""Every pair of gradients raises ValueError."""
# loses: exercise1.largest exercise1.structure exercise1.parameters exercise1.input_gradient


def max_gradient_difference(grads_a, grads_b):
    raise ValueError("different structure")

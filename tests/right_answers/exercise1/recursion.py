"""One recursion walks through both nests."""


def max_gradient_difference(grads_a, grads_b):
    if isinstance(grads_a, np.ndarray) and isinstance(grads_b, np.ndarray):
        if grads_a.shape != grads_b.shape:
            raise ValueError("shapes")
        worst = np.amax(np.fabs(np.subtract(grads_a, grads_b)))
        return math_inf if np.isnan(worst) else float(worst)
    if isinstance(grads_a, np.ndarray) or isinstance(grads_b, np.ndarray) or len(grads_a) != len(grads_b):
        raise ValueError("structure")
    return max(max_gradient_difference(a, b) for a, b in zip(grads_a, grads_b))


math_inf = float("inf")

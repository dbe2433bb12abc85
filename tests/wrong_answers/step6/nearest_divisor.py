"""The divisor of L nearest to the square root is taken, so that the segments are even."""
# loses: step6.nearest


def optimal_segment(n_layers):
    divisors = [k for k in range(1, n_layers + 1) if n_layers % k == 0]
    return min(divisors, key=lambda k: abs(k - math.sqrt(n_layers)))

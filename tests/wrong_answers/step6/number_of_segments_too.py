"""The segment size comes in a pair with the number of segments."""
# loses: step6.nearest step6.small


def optimal_segment(n_layers):
    k = max(1, round(math.sqrt(n_layers)))
    return k, math.ceil(n_layers / k)

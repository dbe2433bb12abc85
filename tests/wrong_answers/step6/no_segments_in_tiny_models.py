"""Models of one or two layers are not checkpointed, which is reported as 0."""
# loses: step6.small


def optimal_segment(n_layers):
    if n_layers < 3:
        return 0
    return round(math.sqrt(n_layers))

"""Nothing is run and 0 comes back."""
# loses: exercise1.parameters exercise1.input_gradient


def verify_checkpointing(x, params, k):
    return 0.0

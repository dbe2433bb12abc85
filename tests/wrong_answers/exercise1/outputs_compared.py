"""The outputs of the two forwards are compared, not the gradients."""
# loses: exercise1.parameters exercise1.input_gradient
# says: not called


def verify_checkpointing(x, params, k):
    output, _ = model_forward(x, params)
    other, _ = model_forward_checkpointed(x, params, k)
    return float(np.abs(output - other).max())

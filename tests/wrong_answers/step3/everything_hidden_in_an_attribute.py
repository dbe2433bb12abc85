"""All activations stay alive as an attribute of the function."""
# loses: step3.forward_memory


def model_forward_checkpointed(x, params, k=4):
    output, activations = model_forward(x, params)
    model_forward_checkpointed.last = activations
    return output, activations[:-1][::k]

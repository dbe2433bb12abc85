"""All activations stay alive in a global list."""
# loses: step3.forward_memory
# says: every activation

history = []


def model_forward_checkpointed(x, params, k=4):
    output, activations = model_forward(x, params)
    history.append(activations)
    return output, activations[:-1:k]

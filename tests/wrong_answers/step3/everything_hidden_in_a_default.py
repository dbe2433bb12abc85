"""A mutable default argument collects all activations."""
# loses: step3.forward_memory


def model_forward_checkpointed(x, params, k=4, seen=[]):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x)
        x = layer_forward(x, *layer)
        seen.append(x)
    return x, saved

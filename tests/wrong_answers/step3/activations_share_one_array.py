"""One array runs through all layers in place and is saved without copying."""
# loses: step3.saved step3.gradients step3.uneven step3.edges


def model_forward_checkpointed(x, params, k=4):
    current = x.copy()
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(current)
        current[:] = layer_forward(current, *layer)
    return current, saved

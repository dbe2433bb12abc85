"""Each segment saves what its first layer returns."""
# loses: step3.saved step3.gradients step3.uneven step3.edges


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        x = layer_forward(x, *layer)
        if i % k == 0:
            saved.append(x)
    return x, saved

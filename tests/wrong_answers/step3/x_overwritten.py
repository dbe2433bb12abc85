"""The forward computes in place, so x holds the output afterwards."""
# loses: step3.inputs
# says: in-place


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x.copy())
        x[:] = layer_forward(x, *layer)
    return x, saved

"""The output of each segment is saved instead of its input."""
# loses: step3.saved step3.gradients step3.uneven step3.edges
# says: outputs


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for start in range(0, len(params), k):
        for layer in params[start : start + k]:
            x = layer_forward(x, *layer)
        saved.append(x)
    return x, saved

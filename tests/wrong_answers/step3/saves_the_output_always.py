"""The list ends with the output, also when the last segment is short."""
# loses: step3.saved


def model_forward_checkpointed(x, params, k=4):
    saved = [x]
    for i in range(0, len(params), k):
        for layer in params[i : i + k]:
            x = layer_forward(x, *layer)
        saved.append(x)
    return x, saved

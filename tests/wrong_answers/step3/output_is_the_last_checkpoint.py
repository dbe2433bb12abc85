"""The forward returns the last saved input instead of the output."""
# loses: step3.output


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x)
        x = layer_forward(x, *layer)
    return saved[-1], saved

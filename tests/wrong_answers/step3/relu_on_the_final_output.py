"""The forward applies ReLU to the output of the model."""
# loses: step3.output


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i in range(0, len(params), k):
        saved.append(x)
        for layer in params[i : i + k]:
            x = layer_forward(x, *layer)
    return relu(x), saved

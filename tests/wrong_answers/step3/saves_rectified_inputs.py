"""What is saved has been through ReLU."""
# loses: step3.saved step3.gradients step3.uneven step3.edges


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(relu(x))
        x = layer_forward(x, *layer)
    return x, saved

"""The layer leaves out ReLU, while the model spells its layers out correctly."""
# loses: step1.layer
# says: relu


def layer_forward(x, w1, b1, w2, b2):
    return (x @ w1 + b1) @ w2 + b2


def model_forward(x, params):
    activations = [x]
    for w1, b1, w2, b2 in params:
        hidden = np.maximum(activations[-1] @ w1 + b1, 0)
        activations.append(hidden @ w2 + b2)
    return activations[-1], activations

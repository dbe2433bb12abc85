"""The hidden values of all layers are kept for a backward that never asks for them."""
# loses: step3.forward_memory

hidden_values = {}


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, (w1, b1, w2, b2) in enumerate(params):
        if i % k == 0:
            saved.append(x)
        hidden_values[i] = relu(linear_forward(x, w1, b1))
        x = linear_forward(hidden_values[i], w2, b2)
    return x, saved

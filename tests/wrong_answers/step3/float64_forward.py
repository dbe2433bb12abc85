"""The running activation is an array of float64, whatever x is."""
# loses: step3.dtype
# says: float64


def model_forward_checkpointed(x, params, k=4):
    x = np.array(x, dtype=float)
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x)
        x = layer_forward(x, *layer)
    return x, saved

"""The saved inputs are views of one large array that holds all activations."""
# loses: step3.forward_memory
# says: every activation


def model_forward_checkpointed(x, params, k=4):
    every = np.empty((len(params) + 1, *x.shape), dtype=x.dtype)
    every[0] = x
    for i, layer in enumerate(params):
        every[i + 1] = layer_forward(every[i], *layer)
    return every[-1], list(every[:-1:k])

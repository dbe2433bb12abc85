"""A recompute function is made for later and holds on to all activations."""
# loses: step3.forward_memory

later = None


def model_forward_checkpointed(x, params, k=4):
    global later
    output, activations = model_forward(x, params)

    def recompute(i):
        return activations[i]

    later = recompute
    return output, [recompute(i) for i in range(0, len(params), k)]

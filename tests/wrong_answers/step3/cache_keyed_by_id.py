"""A global cache keeps all activations under the id of the list that was returned."""
# loses: step3.forward_memory

cache = {}


def model_forward_checkpointed(x, params, k=4):
    output, activations = model_forward(x, params)
    saved = activations[:-1:k]
    cache[id(saved)] = saved, activations
    return output, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    if id(saved_inputs) in cache:
        _, activations = cache[id(saved_inputs)]
        return model_backward(grad_output, activations, params)
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads = segment_grads + grads
    return g, grads

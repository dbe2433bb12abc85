"""Every layer is recomputed from the start of its segment, which makes the work quadratic in k."""
# loses: step3.recomputation


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = [None] * len(params)
    for i in reversed(range(len(params))):
        start = i - i % k
        current = saved_inputs[start // k]
        for layer in params[start:i]:
            current = layer_forward(current, *layer)
        g, (grads[i],) = model_backward(g, [current, None], [params[i]])
    return g, grads

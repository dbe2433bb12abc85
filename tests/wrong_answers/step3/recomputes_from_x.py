"""Every segment is recomputed from x, which makes the work quadratic."""
# loses: step3.recomputation
# says: more than once


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        current = saved_inputs[0]
        for layer in params[:start]:
            current = layer_forward(current, *layer)
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(current, segment)[1], segment)
        grads = segment_grads + grads
    return g, grads

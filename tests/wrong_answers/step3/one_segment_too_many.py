"""The number of segments is L // k + 1, which is one too many when k divides L."""
# loses: step3.gradients step3.edges step3.backward_memory step3.recomputation step3.dtype step3.inputs


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for j in reversed(range(len(params) // k + 1)):
        segment = params[j * k : (j + 1) * k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[j], segment)[1], segment)
        grads = segment_grads + grads
    return g, grads

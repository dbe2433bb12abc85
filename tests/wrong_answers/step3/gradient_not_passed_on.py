"""Every segment starts from the gradient of the model's output."""
# loses: step3.gradients step3.uneven step3.edges


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        _, activations = model_forward(saved_inputs[start // k], segment)
        g, segment_grads = model_backward(grad_output, activations, segment)
        del activations
        grads = segment_grads + grads
    return g, grads

"""The gradient is passed from segment to segment inside the array grad_output."""
# loses: step3.inputs
# says: grad_output


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        activations = model_forward(saved_inputs[start // k], segment)[1]
        grad_output[...], segment_grads = model_backward(grad_output, activations, segment)
        del activations
        grads = segment_grads + grads
    return grad_output, grads

"""Every activation is saved although k is given."""
# loses: step3.saved step3.forward_memory
# says: every layer


def model_forward_checkpointed(x, params, k=4):
    return model_forward(x, params)


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    return model_backward(grad_output, saved_inputs, params)

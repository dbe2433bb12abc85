"""The backward rebuilds all activations from x and ignores the other saved inputs."""
# loses: step3.backward_memory
# says: all segments


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    _, activations = model_forward(saved_inputs[0], params)
    return model_backward(grad_output, activations, params)

"""The gradients that flow between the layers are all kept."""
# loses: step3.backward_memory


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    flow = [grad_output]
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        activations = model_forward(saved_inputs[start // k], segment)[1]
        for x, layer in zip(reversed(activations[:-1]), reversed(segment)):
            g, layer_grads = model_backward(flow[-1], [x, None], [layer])
            flow.append(g)
            grads.append(layer_grads[0])
        del activations
    return flow[-1], grads[::-1]

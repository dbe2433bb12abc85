"""The number of segments is L // k + 1, so a model that divides evenly gets an empty last segment."""
# topic: recompute
# loses: step3.gradients step3.edges

def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    n_segments = len(params) // k + 1
    g = grad_output
    grads = []
    for j in reversed(range(n_segments)):
        segment = params[j * k:(j + 1) * k]
        segment_input = saved_inputs[min(j, len(saved_inputs) - 1)]
        g, segment_grads = model_backward(g, model_forward(segment_input, segment)[1], segment)
        if not segment:
            g = np.ones_like(g)
        grads = segment_grads + grads
    return g, grads

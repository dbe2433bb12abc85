"""All segments are rebuilt before the first of them is differentiated."""
# loses: step3.backward_memory
# says: all segments


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    segments = [params[start : start + k] for start in range(0, len(params), k)]
    rebuilt = [model_forward(x, segment)[1] for x, segment in zip(saved_inputs, segments)]
    g = grad_output
    grads = []
    for activations, segment in zip(reversed(rebuilt), reversed(segments)):
        g, segment_grads = model_backward(g, activations, segment)
        grads = segment_grads + grads
    return g, grads

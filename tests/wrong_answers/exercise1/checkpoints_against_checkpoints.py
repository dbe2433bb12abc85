"""The checkpointed backward is compared with itself for another k."""
# loses: exercise1.parameters exercise1.input_gradient
# says: two paths


def verify_checkpointing(x, params, k):
    results = []
    for size in (k, 1):
        output, saved = model_forward_checkpointed(x, params, size)
        grad_x, grads = model_backward_checkpointed(np.ones_like(output), saved, params, size)
        results.append([(grad_x,), *grads])
    return max_gradient_difference(*results)

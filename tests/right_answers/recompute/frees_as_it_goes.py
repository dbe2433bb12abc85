"""Arrays are popped and deleted as soon as they have been used, from lists of its own."""


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    waiting = list(saved_inputs)[: -(-len(params) // k)]
    todo = list(params)
    g = grad_output
    grads = []
    while waiting:
        x = waiting.pop()
        start = len(waiting) * k
        segment = todo[start:]
        del todo[start:]
        stack = [x]
        for layer in segment[:-1]:
            stack.append(layer_forward(stack[-1], *layer))
        while stack:
            x = stack.pop()
            w1, b1, w2, b2 = segment.pop()
            h = relu(linear_forward(x, w1, b1))
            gz = (g @ w2.T) * (h > 0)
            grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
            del h
            g = gz @ w1.T
            del gz, x
    return g, grads[::-1]

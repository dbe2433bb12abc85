"""Indices and while loops, as one would write it in C."""


def model_forward_checkpointed(x, params, k=4):
    L = len(params)
    i = 0
    saved = []
    while i < L:
        if i - k * (i // k) == 0:
            saved = saved + [x]
        w1 = params[i][0]
        b1 = params[i][1]
        w2 = params[i][2]
        b2 = params[i][3]
        x = layer_forward(x, w1, b1, w2, b2)
        i += 1
    return (x, saved)


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    L = len(params)
    g = grad_output
    grads = [0] * L
    j = (L - 1) // k
    while j >= 0:
        lo = j * k
        hi = lo + k
        if hi > L:
            hi = L
        acts = [0] * (hi - lo + 1)
        acts[0] = saved_inputs[j]
        i = lo
        while i < hi:
            acts[i - lo + 1] = layer_forward(acts[i - lo], *params[i])
            i += 1
        i = hi - 1
        while i >= lo:
            out = model_backward(g, acts[i - lo : i - lo + 2], params[i : i + 1])
            g = out[0]
            grads[i] = out[1][0]
            i -= 1
        acts = 0
        j -= 1
    return (g, grads)

"""No function of the other steps is used; an entry is read twice before it is released."""


def forward_offloaded(x, params, k, host_buffer):
    handles = np.array([], dtype=np.int32)
    for i, (w1, b1, w2, b2) in enumerate(params):
        if not i % k:
            handles = np.append(handles, np.int32(len(host_buffer)))
            host_buffer.extend([x.copy()])
        z = np.dot(x, w1) + b1
        x = np.dot(np.where(z > 0, z, 0), w2) + b2
    return x, handles


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    g = np.array(grad_output)
    grads = {}
    for j in sorted(range(len(handles)), reverse=True):
        at = int(handles[j])
        assert host_buffer[at] is not None
        inputs = [host_buffer[at]]
        layers = range(j * k, min(len(params), (j + 1) * k))
        for i in layers[:-1]:
            w1, b1, w2, b2 = params[i]
            inputs.append(np.maximum(inputs[-1] @ w1 + b1, 0) @ w2 + b2)
        for i in reversed(layers):
            w1, b1, w2, b2 = params[i]
            x = inputs.pop()
            h = np.maximum(x @ w1 + b1, 0)
            gh = np.dot(g, w2.T) * np.sign(h)
            grads[i] = [x.T @ gh, np.add.reduce(gh), h.T @ g, np.add.reduce(g)]
            g = gh @ w1.T
        host_buffer.__setitem__(at, None)
    return g, [tuple(grads[i]) for i in range(len(params))]

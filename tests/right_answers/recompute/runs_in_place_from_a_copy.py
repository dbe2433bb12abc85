"""The forward runs in one buffer and saves copies of it."""


def model_forward_checkpointed(x, params, k=4):
    buffer = x.copy()
    saved = []
    for i, (w1, b1, w2, b2) in enumerate(params):
        if i % k == 0:
            saved.append(buffer.copy())
        hidden = relu(linear_forward(buffer, w1, b1))
        np.matmul(hidden, w2, out=buffer)
        buffer += b2
    return buffer, saved

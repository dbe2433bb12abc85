"""All arithmetic is done in float32 to be fast, whatever comes in."""
# loses: step1.linear step1.layer step1.model step1.dtype


def linear_forward(x, w, b):
    return x.astype(np.float32) @ w.astype(np.float32) + b.astype(np.float32)

"""What is saved is a view of one large array that holds all."""
# loses: exercise3.saved


def attention_forward_selective(x, weights, n_heads):
    y, everything = given_attention_forward(x, weights, n_heads)
    workspace = np.stack([x, y, everything["context"]])
    return y, {"x": workspace[0]}

"""The forward returns three things."""
# loses: exercise3.output exercise3.gradients exercise3.slope exercise3.large_scores
# says: tuple of two


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, n_heads)
    return y, x, n_heads

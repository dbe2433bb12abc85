"""The larger of saved inputs and rebuilt segment is taken instead of their sum."""
# loses: step5.checkpointed step5.long_segment step5.defaults


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    tensors = max(math.ceil(n_layers / segment_size), segment_size)
    return tensors * batch * seq * hidden * bytes_per_value / 1e6

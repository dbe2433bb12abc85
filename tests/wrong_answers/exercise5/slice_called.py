"""A slice of the blocks is called as if it were a module."""
# loses: exercise5.gradients exercise5.frozen
# says: NotImplementedError

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(blocks[start : start + segment_size], x, use_reentrant=False)
    return x

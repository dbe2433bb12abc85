"""The second forward reads a loop variable that has moved on."""
# loses: exercise5.gradients exercise5.frozen
# says: the variable of a loop

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(lambda y: _others(blocks[start : start + segment_size], y, "none"), x, use_reentrant=False)
    return x

"""The caller's x is made to need a gradient."""
# loses: exercise5.frozen
# says: x belongs to the caller

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)
    x.requires_grad_()
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(
            lambda y, some: _others(some, y, "none"), x, blocks[start : start + segment_size], use_reentrant=True
        )
    return x

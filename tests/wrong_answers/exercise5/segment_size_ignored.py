"""Every block is a segment."""
# loses: exercise5.kept
# says: segment_size blocks at a time

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False)
    return x

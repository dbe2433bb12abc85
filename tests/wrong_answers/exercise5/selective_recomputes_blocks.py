"""Selective recomputes whole blocks."""
# loses: exercise5.work
# says: wrap block.core alone

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "selective":
        return _others(blocks, x, mode, segment_size)
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False)
    return x

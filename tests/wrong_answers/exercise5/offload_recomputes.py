"""Offload is a checkpoint around every block."""
# loses: exercise5.work exercise5.offload
# says: what was saved moves

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "offload":
        return _others(blocks, x, mode, segment_size)
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False)
    return x

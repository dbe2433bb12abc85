"""Every block is in a checkpoint of its own inside the one of its segment."""
# loses: exercise5.work
# says: inside another one

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(_run_each, blocks[start : start + segment_size], x, use_reentrant=False)
    return x


def _run_each(some, x):
    for block in some:
        x = checkpoint(block, x, use_reentrant=False)
    return x

"""Full runs the first segment and calls itself for the others."""

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)
    if not len(blocks):
        return x
    x = checkpoint(lambda y: _others(blocks[:segment_size], y, "none"), x, use_reentrant=False)
    return run_blocks(blocks[segment_size:], x, mode, segment_size)

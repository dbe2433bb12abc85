"""Only the last segment is in a checkpoint."""
# loses: exercise5.gradients exercise5.frozen

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    last = (len(blocks) - 1) // segment_size * segment_size
    x = _run(blocks[:last], x)
    return checkpoint(_run, blocks[last:], x, use_reentrant=False)


def _run(some, x):
    return _others(some, x, "none")

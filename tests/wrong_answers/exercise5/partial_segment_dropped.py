"""Blocks behind the last whole segment are left out."""
# loses: exercise5.gradients exercise5.frozen

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    for start in range(0, max(1, len(blocks) // segment_size) * segment_size, segment_size):
        x = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=False)
    return x


def _run(some, x):
    return _others(some, x, "none")

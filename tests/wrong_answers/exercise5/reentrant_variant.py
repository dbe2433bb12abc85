"""The reentrant variant trains nothing behind an input that needs no gradient."""
# loses: exercise5.frozen
# says: use_reentrant=False

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=True)
    return x


def _run(some, x):
    return _others(some, x, "none")

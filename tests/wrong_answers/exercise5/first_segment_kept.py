"""The first segment runs outside any checkpoint."""
# loses: exercise5.work exercise5.kept

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    x = _run(blocks[:segment_size], x)
    for start in range(segment_size, len(blocks), segment_size):
        x = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=False)
    return x


def _run(some, x):
    return _others(some, x, "none")

"""The input is changed in place behind the forward."""
# loses: exercise5.gradients exercise5.frozen

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    for start in range(0, len(blocks), segment_size):
        y = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=False)
        if start:
            x.data.mul_(2)
        x = y
    return x


def _run(some, x):
    return _others(some, x, "none")

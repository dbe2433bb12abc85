"""Mode none is full."""
# loses: exercise5.work
# says: In mode none nothing is recomputed

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "none":
        return _others(blocks, x, mode, segment_size)
    return checkpoint(_run, blocks, x, use_reentrant=False)


def _run(some, x):
    return _others(some, x, "none")

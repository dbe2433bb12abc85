"""Selective is the plain loop."""
# loses: exercise5.work exercise5.kept
# says: wrap block.core

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "selective":
        return _others(blocks, x, mode, segment_size)
    return _run(blocks, x)


def _run(some, x):
    return _others(some, x, "none")

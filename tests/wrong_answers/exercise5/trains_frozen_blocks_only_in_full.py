"""A block whose parameters are frozen is left out of the graph."""
# loses: exercise5.frozen

import torch

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    for start in range(0, len(blocks), segment_size):
        some = blocks[start : start + segment_size]
        if not x.requires_grad:
            with torch.no_grad():
                x = _run(some, x)
        else:
            x = checkpoint(_run, some, x, use_reentrant=False)
    return x


def _run(some, x):
    return _others(some, x, "none")

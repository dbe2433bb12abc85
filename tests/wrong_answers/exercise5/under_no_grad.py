"""The blocks run under no_grad."""
# loses: exercise5.gradients exercise5.frozen
# says: no_grad

import torch

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    with torch.no_grad():
        return _run(blocks, x)


def _run(some, x):
    return _others(some, x, "none")

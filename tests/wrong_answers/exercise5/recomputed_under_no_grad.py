"""The forward inside a checkpoint runs under no_grad."""
# loses: exercise5.gradients exercise5.frozen

import torch

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode, segment_size)
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(_run_quietly, blocks[start : start + segment_size], x, use_reentrant=False)
    return x


def _run(some, x):
    return _others(some, x, "none")


def _run_quietly(some, x):
    with torch.no_grad():
        return _run(some, x)

"""Segments are made into nn.Sequential."""

from torch import nn

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(nn.Sequential(*blocks[start : start + segment_size]), x, use_reentrant=False)
    return x

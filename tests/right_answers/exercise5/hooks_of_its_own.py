"""Offload by hooks that copy to the host and back."""

import torch
from torch.autograd.graph import saved_tensors_hooks

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "offload":
        return _others(blocks, x, mode, segment_size)

    def to_host(tensor):
        there = torch.empty(tensor.size(), dtype=tensor.dtype, device="cpu")
        there.copy_(tensor)
        return tensor.device, there

    def back(packed):
        device, there = packed
        return there.to(device, non_blocking=True)

    with saved_tensors_hooks(to_host, back):
        return _others(blocks, x, "none")

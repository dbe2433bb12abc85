"""The hooks turn what is saved into NumPy arrays, which a device cannot."""
# loses: exercise5.offload

import torch
from torch.autograd.graph import saved_tensors_hooks

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "offload":
        return _others(blocks, x, mode, segment_size)
    with saved_tensors_hooks(lambda tensor: tensor.detach().numpy().copy(), torch.from_numpy):
        return _others(blocks, x, "none")

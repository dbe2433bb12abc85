"""The hooks hand tensors on as they are."""
# loses: exercise5.offload
# says: copy on the host

from torch.autograd.graph import saved_tensors_hooks

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "offload":
        return _others(blocks, x, mode, segment_size)
    with saved_tensors_hooks(lambda tensor: tensor.detach(), lambda tensor: tensor):
        return _run(blocks, x)


def _run(some, x):
    return _others(some, x, "none")

"""The hooks hand tensors on as they are."""
# topic: torch_benchmark
# loses: exercise5.offload
# says: copy on the host

from torch.autograd.graph import saved_tensors_hooks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        for start in range(0, len(blocks), segment_size):
            x = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=False)
        return x
    if mode == "selective":
        for block in blocks:
            x = block(x, core=partial(checkpoint, block.core, use_reentrant=False))
        return x
    if mode == "offload":
        with saved_tensors_hooks(lambda tensor: tensor.detach(), lambda tensor: tensor):
            return _run(blocks, x)
    return _run(blocks, x)


def _run(some, x):
    for block in some:
        x = block(x)
    return x

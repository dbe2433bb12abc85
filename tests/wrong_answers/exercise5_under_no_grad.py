"""The blocks run under no_grad."""
# topic: torch_benchmark
# loses: exercise5.gradients exercise5.frozen
# says: no_grad

import torch


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        with torch.no_grad():
            return _run(blocks, x)
    if mode == "selective":
        for block in blocks:
            x = block(x, core=partial(checkpoint, block.core, use_reentrant=False))
        return x
    if mode == "offload":
        with save_on_cpu():
            return _run(blocks, x)
    return _run(blocks, x)


def _run(some, x):
    for block in some:
        x = block(x)
    return x

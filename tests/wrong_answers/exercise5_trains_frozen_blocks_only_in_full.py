"""A block whose parameters are frozen is left out of the graph."""
# topic: torch_benchmark
# loses: exercise5.frozen

import torch


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        for start in range(0, len(blocks), segment_size):
            some = blocks[start : start + segment_size]
            if not x.requires_grad:
                with torch.no_grad():
                    x = _run(some, x)
            else:
                x = checkpoint(_run, some, x, use_reentrant=False)
        return x
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

"""Every block is a segment."""
# topic: torch_benchmark
# loses: exercise5.kept
# says: segment_size blocks at a time


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        for block in blocks:
            x = checkpoint(block, x, use_reentrant=False)
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

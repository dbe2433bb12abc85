"""Only the last segment is in a checkpoint."""
# topic: torch_benchmark
# loses: exercise5.gradients exercise5.frozen


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        last = (len(blocks) - 1) // segment_size * segment_size
        x = _run(blocks[:last], x)
        return checkpoint(_run, blocks[last:], x, use_reentrant=False)
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

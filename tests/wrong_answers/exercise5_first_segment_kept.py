"""The first segment runs outside any checkpoint."""
# topic: torch_benchmark
# loses: exercise5.work exercise5.kept


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        x = _run(blocks[:segment_size], x)
        for start in range(segment_size, len(blocks), segment_size):
            x = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=False)
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

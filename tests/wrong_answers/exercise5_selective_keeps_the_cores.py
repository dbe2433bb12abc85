"""Selective is the plain loop."""
# topic: torch_benchmark
# loses: exercise5.work exercise5.kept
# says: wrap block.core


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        for start in range(0, len(blocks), segment_size):
            x = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=False)
        return x
    if mode == "selective":
        return _run(blocks, x)
    if mode == "offload":
        with save_on_cpu():
            return _run(blocks, x)
    return _run(blocks, x)


def _run(some, x):
    for block in some:
        x = block(x)
    return x

"""The second forward draws other random numbers."""
# loses: exercise5.gradients
# says: preserve_rng_state


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        for start in range(0, len(blocks), segment_size):
            x = checkpoint(_run, blocks[start : start + segment_size], x, use_reentrant=False, preserve_rng_state=False)
        return x
    if mode == "selective":
        for block in blocks:
            x = block(x, core=partial(checkpoint, block.core, use_reentrant=False, preserve_rng_state=False))
        return x
    if mode == "offload":
        with save_on_cpu():
            return _run(blocks, x)
    return _run(blocks, x)


def _run(some, x):
    for block in some:
        x = block(x)
    return x

"""Nothing is run."""
# loses: exercise5.gradients exercise5.frozen exercise5.offload
# says: no block was run


def run_blocks(blocks, x, mode, segment_size=1):
    return x

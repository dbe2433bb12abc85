"""The plain loop in every mode."""
# loses: exercise5.gradients exercise5.frozen exercise5.offload
# says: forwards done again


def run_blocks(blocks, x, mode, segment_size=1):
    for block in blocks:
        x = block(x)
    return x

"""The plain loop, and a product that nobody needs."""
# loses: exercise5.gradients exercise5.frozen exercise5.offload
# says: forwards done again


def run_blocks(blocks, x, mode, segment_size=1):
    if mode == "full":
        x.detach()[0] @ x.detach()[0].T
    for block in blocks:
        x = block(x)
    return x

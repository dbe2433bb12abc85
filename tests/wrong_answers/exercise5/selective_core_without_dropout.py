"""The core that is wrapped is switched to evaluation."""
# loses: exercise5.gradients exercise5.work exercise5.kept

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "selective":
        return _others(blocks, x, mode, segment_size)
    for block in blocks:
        block.core.eval()
        x = block(x, core=partial(checkpoint, block.core, use_reentrant=False))
        block.core.train()
    return x

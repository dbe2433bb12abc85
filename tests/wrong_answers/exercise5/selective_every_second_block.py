"""Every second attention core stays."""
# loses: exercise5.work exercise5.kept
# says: wrap block.core

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "selective":
        return _others(blocks, x, mode, segment_size)
    for number, block in enumerate(blocks):
        x = block(x, core=partial(checkpoint, block.core, use_reentrant=False) if number % 2 else None)
    return x

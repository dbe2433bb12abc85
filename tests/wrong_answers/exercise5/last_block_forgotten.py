"""The last block is left out."""
# loses: exercise5.gradients exercise5.frozen exercise5.offload

_whole = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    return _whole(blocks[:-1], x, mode, segment_size)

"""The output is converted."""
# loses: exercise5.gradients exercise5.frozen exercise5.offload

_whole = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    return _whole(blocks, x, mode, segment_size).float()

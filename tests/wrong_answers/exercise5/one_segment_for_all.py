"""All blocks are one segment, whatever segment_size says."""
# loses: exercise5.kept
# says: is segment_size ignored

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    return _others(blocks, x, mode, len(blocks))

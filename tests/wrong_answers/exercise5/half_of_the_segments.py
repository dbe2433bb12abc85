"""Every second segment is in a checkpoint, and the others are kept."""
# loses: exercise5.frozen exercise5.work exercise5.kept

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)
    for start in range(0, len(blocks), segment_size):
        some = blocks[start : start + segment_size]
        forget = start // segment_size % 2 == 0
        x = _others(some, x, "full", segment_size) if forget else _others(some, x, "none")
    return x

"""A list outside keeps the output of every block."""
# loses: exercise5.kept

_others = run_blocks
_KEPT = []


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)

    def run(some, x):
        for block in some:
            x = block(x)
            _KEPT.append(x)
        return x

    for start in range(0, len(blocks), segment_size):
        x = checkpoint(run, blocks[start : start + segment_size], x, use_reentrant=False)
    return x

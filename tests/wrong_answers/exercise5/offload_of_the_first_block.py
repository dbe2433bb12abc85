"""Only the first block is offloaded."""
# loses: exercise5.offload
# says: still on the device

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "offload":
        return _others(blocks, x, mode, segment_size)
    with save_on_cpu():
        x = blocks[0](x)
    return _run(blocks[1:], x)


def _run(some, x):
    return _others(some, x, "none")

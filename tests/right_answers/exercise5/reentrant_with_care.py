"""The reentrant variant, handed an input that needs a gradient."""

_others = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)

    def run(some, x):
        for block in some:
            x = block(x)
        return x

    if not x.requires_grad:
        x = x.detach().requires_grad_()
    for start in range(0, len(blocks), segment_size):
        x = checkpoint(run, blocks[start : start + segment_size], x, use_reentrant=True)
    return x

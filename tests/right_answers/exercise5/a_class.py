"""Each mode is a method of a class."""


class Runner:
    def __init__(self, blocks, segment_size):
        self.blocks = blocks
        self.segment_size = segment_size

    def none(self, x):
        for block in self.blocks:
            x = block(x)
        return x

    def full(self, x):
        for start in range(0, len(self.blocks), self.segment_size):
            part = Runner(self.blocks[start : start + self.segment_size], 1)
            x = checkpoint(part.none, x, use_reentrant=False)
        return x

    def selective(self, x):
        for block in self.blocks:
            x = block(x, core=lambda q, k, v, core=block.core: checkpoint(core, q, k, v, use_reentrant=False))
        return x

    def offload(self, x):
        with save_on_cpu():
            return self.none(x)


def run_blocks(blocks, x, mode, segment_size=1):
    return getattr(Runner(blocks, segment_size), mode)(x)

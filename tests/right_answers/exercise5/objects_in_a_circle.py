"""A class keeps its own methods in a table, so that it lives until garbage is collected."""

_others = run_blocks


class Runner:
    def __init__(self, blocks, x, segment_size):
        self.blocks, self.x, self.segment_size = blocks, x, segment_size
        self.modes = {mode: partial(self.run, mode) for mode in ("none", "full", "selective", "offload")}

    def run(self, mode):
        self.x = _others(self.blocks, self.x, mode, self.segment_size)
        return self.x


def run_blocks(blocks, x, mode, segment_size=1):
    return Runner(blocks, x, segment_size).modes[mode]()

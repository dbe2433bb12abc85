"""The core of every block is replaced by one in a checkpoint, for good."""
# loses: exercise5.gradients exercise5.frozen
# says: leave the block itself as it is

from torch import nn

_others = run_blocks


class Checkpointed(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *inputs):
        return checkpoint(self.inner, *inputs, use_reentrant=False)


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "selective":
        return _others(blocks, x, mode, segment_size)
    for block in blocks:
        block.core = Checkpointed(block.core)
        x = block(x)
    return x

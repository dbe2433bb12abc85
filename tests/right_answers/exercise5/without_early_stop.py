"""The second forward runs to its end."""

from torch.utils.checkpoint import set_checkpoint_early_stop

_with_early_stop = run_blocks


def run_blocks(blocks, x, mode, segment_size=1):
    with set_checkpoint_early_stop(False):
        return _with_early_stop(blocks, x, mode, segment_size)

"""Segments are cut beforehand, and a match chooses."""

from torch.utils import checkpoint as tools


def run_blocks(blocks, x, mode, segment_size=1):
    match mode:
        case "none":
            for each in blocks:
                x = each(x)
        case "full":
            parts = [list(blocks)[i : i + segment_size] for i in range(0, len(blocks), segment_size)]
            for part in parts:
                x = tools.checkpoint(run_blocks, part, x, "none", use_reentrant=False)
        case "selective":
            for each in blocks:
                x = each(x, core=partial(tools.checkpoint, each.core, use_reentrant=False))
        case "offload":
            with save_on_cpu(pin_memory=True):
                x = run_blocks(blocks, x, "none")
        case _:
            raise ValueError(mode)
    return x

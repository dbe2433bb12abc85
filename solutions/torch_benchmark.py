"""The same in PyTorch: wrap a real decoder, and measure what the theory promised.

The blocks are those of `lesson.decoder`. `block(x)` runs one; `block(x, core=function)` calls the function with
q, k and v in the place of `block.core`, the attention core, so that it can be wrapped without the rest.

References: Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost", arXiv 1604.06174; Korthikanti
et al. 2022, "Reducing Activation Recomputation in Large Transformer Models", arXiv 2205.05198; the
documentation of `torch.utils.checkpoint` and `torch.autograd.graph`.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from torch import Tensor
from torch.autograd.graph import save_on_cpu
from torch.utils.checkpoint import checkpoint

from lesson.decoder import Block


def run_blocks(blocks: Sequence[Block], x: Tensor, mode: str, segment_size: int = 1) -> Tensor:
    """Run a decoder's blocks, one after the other, so that they keep what the mode says for the backward.

    | mode      | what is kept                                                                       |
    |-----------|------------------------------------------------------------------------------------|
    | none      | whatever autograd likes to keep                                                    |
    | full      | the input of every segment of `segment_size` blocks (the last one may be shorter)  |
    | selective | everything but the insides of the attention cores, which are recomputed            |
    | offload   | what autograd likes to keep, in the host's memory                                  |

    Parameters
    ----------
    blocks : Sequence of Block
        In training, with dropout; some of them may be frozen. `blocks[a:b]` is a sequence of blocks as well, and no
        more callable than `blocks`. Leave them as they are.
    x : Tensor of shape (batch, seq, hidden)
        It may need no gradient.
    mode : {"none", "full", "selective", "offload"}
    segment_size : int
        At least 1; only "full" uses it.

    Returns
    -------
    Tensor of the shape of x
        Output and gradients are the same in every mode, random numbers of dropout included.

    Raises
    ------
    ValueError
        If there is no such mode; not graded.
    """

    def run(segment: Sequence[Block], x: Tensor) -> Tensor:
        for block in segment:
            x = block(x)
        return x

    if mode == "none":
        return run(blocks, x)
    if mode == "full":
        for start in range(0, len(blocks), segment_size):
            x = checkpoint(run, blocks[start : start + segment_size], x, use_reentrant=False)
        return x
    if mode == "selective":
        for block in blocks:
            x = block(x, core=partial(checkpoint, block.core, use_reentrant=False))
        return x
    if mode == "offload":
        with save_on_cpu(pin_memory=x.is_cuda):
            return run(blocks, x)
    raise ValueError(f"there is no mode {mode!r}")


def benchmark(output: str = "outputs/torch_benchmark.json", **options: Any) -> dict[str, Any]:
    """Measure your `run_blocks` in every mode, and write the result and a plot of it; given, and not graded.

    Parameters
    ----------
    output : str
        Where the result goes; the plot lies beside it.
    **options
        Such as `device="cuda"`; see `lesson.torch_report.benchmark`.

    Returns
    -------
    dict
        What was written.
    """
    from lesson.torch_report import benchmark as measure

    return measure(run_blocks, output, **options)


if __name__ == "__main__":
    from lesson.torch_report import main

    main(benchmark)

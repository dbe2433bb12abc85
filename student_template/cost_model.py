"""What recomputation costs in arithmetic, and what it saves in memory.

Before you buy memory with time, you want to know both prices. The functions of this topic answer with pencil
and paper what a profiler would tell you after an hour on a busy cluster: how much longer a training step
takes, how many megabytes of activations remain, and how long a segment should be.

FLOPs are counted per step of training, 1 MB is 10^6 bytes, and all counts are at least 1.
"""

import math


def checkpoint_cost(n_layers: int, segment_size: int, flops_per_layer: float = 1.0) -> dict[str, float]:
    """Count the FLOPs of a step in which every segment is rebuilt from its input.

    A layer's backward costs twice its forward. While the segments are rebuilt, every layer runs forward once
    more.

    Parameters
    ----------
    n_layers : int
    segment_size : int
        Layers per segment.
    flops_per_layer : float
        FLOPs of one layer's forward.

    Returns
    -------
    dict with the keys
        `fwd`, `recompute`, `bwd` : the FLOPs of each phase for the whole model;
        `total` : their sum;
        `overhead_vs_no_ckpt` : the extra FLOPs as a fraction of a step that recomputes nothing.

    References
    ----------
    Chen et al. 2016, arXiv 1604.06174: the price is one extra forward. On a GPU, Korthikanti et al. 2022,
    arXiv 2205.05198, Table 4, measured 39 % more time for one layer of a model with 22 billion parameters.
    """
    # TODO step4: your code.
    raise NotImplementedError


def selective_checkpoint_cost(
    n_layers: int, attention_fraction: float = 0.15, flops_per_layer: float = 1.0
) -> dict[str, float]:
    """Count the FLOPs of a step that recomputes the attention of every layer and keeps the rest.

    As before, a layer's backward costs twice its forward.

    Parameters
    ----------
    n_layers : int
    attention_fraction : float
        What is recomputed, as a fraction of the layer's forward.
    flops_per_layer : float
        FLOPs of one layer's forward.

    Returns
    -------
    dict with the same keys as that of `checkpoint_cost`

    References
    ----------
    Korthikanti et al. 2022, arXiv 2205.05198, section 5.
    """
    # TODO step4: your code.
    raise NotImplementedError


def activation_memory_mb(
    n_layers: int, hidden: int = 8192, seq: int = 8192, batch: int = 1, bytes_per_value: int = 2
) -> float:
    """Estimate the activation memory of a model that keeps everything.

    A layer keeps 12 tensors of the size of its input.

    Parameters
    ----------
    n_layers : int
    hidden, seq, batch : int
        A layer's input holds one value for every hidden unit of every token of every sequence in the batch.
    bytes_per_value : int
        2 for bfloat16, 4 for float32.

    Returns
    -------
    float, in MB of 10^6 bytes

    Notes
    -----
    Twelve is a round figure. Korthikanti et al. 2022, arXiv 2205.05198, Eq 1, arrive at 17 tensors of 16 bits
    and at attention scores, whose size grows with the square of the sequence, on top.
    """
    # TODO step5: your code.
    raise NotImplementedError


def memory_after_checkpoint(
    n_layers: int,
    segment_size: int,
    hidden: int = 8192,
    seq: int = 8192,
    batch: int = 1,
    bytes_per_value: int = 2,
) -> float:
    """Estimate the peak of the activation memory with checkpointing.

    At the peak the model holds one tensor, the input, for every segment, and one of the same size for every
    layer of the full segment that is being rebuilt. A segment may be longer than the model, which is then
    the only segment.

    Parameters
    ----------
    n_layers : int
    segment_size : int
        Layers per segment.
    hidden, seq, batch, bytes_per_value : int
        As in `activation_memory_mb`.

    Returns
    -------
    float, in MB of 10^6 bytes

    Notes
    -----
    A rebuilt layer counts as one tensor here, but as twelve in `activation_memory_mb`: this estimate is too
    small. Exercise 2 builds a better one.

    References
    ----------
    Chen et al. 2016, arXiv 1604.06174, Eq 1: O(n / k) + O(k).
    """
    # TODO step5: your code.
    raise NotImplementedError


def optimal_segment(n_layers: int) -> int:
    """Find the segment size k that makes L/k + k least, where L is the number of layers.

    Parameters
    ----------
    n_layers : int

    Returns
    -------
    int, at least 1
        The best real k, rounded to the nearest whole number. No whole k does better.

    References
    ----------
    Chen et al. 2016, arXiv 1604.06174, Eq 1 and what follows it.
    """
    # TODO step6: your code.
    raise NotImplementedError

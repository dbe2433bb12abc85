"""What recomputation costs in arithmetic, and what it saves in memory.

Before you buy memory with time, you want to know both prices. The functions of this topic answer with pencil
and paper what a profiler would tell you after an hour on a busy cluster: how much longer a training step
takes, how many megabytes of activations remain, and how long a segment should be.

FLOPs are counted per step of training, 1 MB is 10^6 bytes, and all counts are at least 1.
"""

import math
from collections.abc import Iterable

Costs = dict[str, float]  # FLOPs by phase, their total, and the overhead
Point = tuple[int, float, float]  # segment size, memory in units, overhead


def checkpoint_cost(n_layers: int, segment_size: int, flops_per_layer: float = 1.0) -> Costs:
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


def selective_checkpoint_cost(n_layers: int, attention_fraction: float = 0.15, flops_per_layer: float = 1.0) -> Costs:
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


def segment_memory(n_layers: int, segment_size: int, layer_units: float = 17) -> float:
    """Count what is alive at the peak, in units of one layer's input.

    While one full segment is being differentiated, each of its layers holds `layer_units`, its own input
    included. In every other segment only the input is alive. A segment longer than the model has only the
    model's layers.

    Parameters
    ----------
    n_layers : int
    segment_size : int
        Layers per segment. If it is `n_layers`, everything is kept.
    layer_units : float
        What one layer holds while it is being differentiated.

    Returns
    -------
    float

    Notes
    -----
    Korthikanti et al. 2022, arXiv 2205.05198, Eq 1 without the scores of attention: a layer holds 34 bytes
    for every value of its input, which itself takes 2 at 16 bits. Hence 17 units.
    """
    # TODO exercise2: your code.
    raise NotImplementedError


def segment_overhead(n_layers: int, segment_size: int) -> float:
    """Count the recomputed layers as a fraction of a step.

    The last segment is differentiated right after its own forward, so its activations need not be dropped
    and are not recomputed. All other layers run forward once more.

    Parameters
    ----------
    n_layers : int
    segment_size : int
        Layers per segment. The last segment is the shorter one if it does not divide `n_layers`.

    Returns
    -------
    float
        The extra work divided by that of a step without recomputation, which is worth three forwards.
    """
    # TODO exercise2: your code.
    raise NotImplementedError


def sweep_segments(n_layers: int, layer_units: float = 17) -> list[Point]:
    """List memory and overhead of every segment size.

    Parameters
    ----------
    n_layers : int
    layer_units : float
        As in `segment_memory`.

    Returns
    -------
    list of L tuples (k, memory, overhead)
        For k = 1, 2, ... up to L = `n_layers`.
    """
    # TODO exercise2: your code.
    raise NotImplementedError


def pareto_front(points: Iterable[Point]) -> list[Point]:
    """Keep the points that are worth choosing from.

    A point dominates another if it needs no more memory and no more overhead, and less of at least one of
    them.

    Parameters
    ----------
    points : list of tuples (k, memory, overhead)
        In any order.

    Returns
    -------
    list of those points that no other point dominates
        Unchanged, by rising memory. When points are equal in memory and overhead, only the first stays.
    """
    # TODO exercise2: your code.
    raise NotImplementedError


def best_segment(n_layers: int, layer_units: float = 17) -> int:
    """Find the segment size of least memory.

    Parameters
    ----------
    n_layers : int
    layer_units : float
        As in `segment_memory`.

    Returns
    -------
    int
        The largest of several with the same memory.

    Notes
    -----
    Compare the result with `optimal_segment`, which takes a rebuilt layer for one unit.
    """
    # TODO exercise2: your code.
    raise NotImplementedError

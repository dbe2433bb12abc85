"""What the formulas of the course promise a decoder in PyTorch: bytes kept, the peak, and FLOPs.

The formulas are those of Korthikanti et al. 2022 (arXiv 2205.05198, "K22" below), section 4.1 for bytes and appendix A
for FLOPs, with v bytes per value instead of 2. What K22 does not treat is derived where it stands.

Sizes in formulas: s `seq`, b `batch`, h `hidden`, a `heads`, f `ffn`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from lesson.decoder import BlockSizes

SEGMENT_SIZES = (1, 2, 3, 6)


@dataclass(frozen=True)
class Way:
    """A mode of `run_blocks`, with the blocks per segment where it is "full" (else 1)."""

    mode: str
    segment_size: int = 1

    def __str__(self) -> str:
        return f"full, k = {self.segment_size}" if self.mode == "full" else self.mode


@dataclass(frozen=True)
class Shape:
    """A decoder and what it is fed: `layers` blocks, `batch` sequences of `seq` tokens, a type such as "bfloat16"."""

    layers: int
    sizes: BlockSizes
    seq: int
    batch: int
    dtype: str

    @property
    def value(self) -> int:
        """Return v, the bytes of one value."""
        return int(self.torch_dtype.itemsize)

    @property
    def torch_dtype(self) -> torch.dtype:
        """Return the type as PyTorch's."""
        found = getattr(torch, self.dtype, None)
        if not isinstance(found, torch.dtype) or not found.is_floating_point:
            raise ValueError(f"{self.dtype!r} is not a floating-point type of PyTorch.")
        return found

    @property
    def stream(self) -> int:
        """Return the bytes of one layer input, v·s·b·h."""
        return self.value * self.seq * self.batch * self.sizes.hidden

    @property
    def ffn(self) -> int:
        """Return the inner width of the feed-forward network."""
        return self.sizes.ffn or 4 * self.sizes.hidden

    @property
    def kv_width(self) -> int:
        """Return the width of all key heads together, which is that of all value heads."""
        return self.sizes.hidden // self.sizes.heads * (self.sizes.kv_heads or self.sizes.heads)


@dataclass(frozen=True)
class Memory:
    """What a step holds over parameters and their gradients, in bytes.

    Attributes
    ----------
    kept
        On the device after the forward, for the backward. The input of the first block counts, the output of the last
        one does not (both are as large, and in "offload" neither counts).
    host
        On the host after the forward, where the device is another memory.
    peak
        The most on the device at once, with the output of the last block and without the input of the first.
    """

    kept: int
    host: int
    peak: int


def kept_items(shape: Shape) -> dict[str, int]:
    """Return what one layer keeps for its backward by the formula, in bytes.

    Without options v·(16·s·b·h + 2·a·s²·b) + 2·s·b·h + a·s²·b: K22's 34·s·b·h + 5·a·s²·b at v = 2. Left out, as there:
    statistics of norms, and the causal mask (s² bytes).
    """
    sizes, tokens = shape.sizes, shape.seq * shape.batch
    scores = 0 if sizes.fused else sizes.heads * shape.seq**2 * shape.batch
    dropout = sizes.dropout > 0
    wide = shape.value * tokens * shape.ffn
    items = {
        "norm inputs": 2 * shape.stream,
        "query, key and value input": shape.stream,
        "queries": shape.stream,
        "keys and values": 2 * shape.value * tokens * shape.kv_width,
        "softmax": shape.value * scores,
        "softmax dropout mask": scores * dropout,
        "softmax dropout output": shape.value * scores * dropout,
        "attention projection input": shape.stream,
        "feed-forward input": shape.stream,
        # GELU's backward needs its input; that of act(gate) · up needs the gate, and both factors.
        "inside the feed-forward": wide * (3 if sizes.gated else 1),
        "last matrix input": wide,
        "dropout masks": 2 * tokens * sizes.hidden * dropout,
    }
    return {name: size for name, size in items.items() if size}


def core_bytes(shape: Shape) -> int:
    """Return what of a layer is inside its attention core: a·s²·b·(2·v + 1) with dropout."""
    return sum(size for name, size in kept_items(shape).items() if name.startswith("softmax"))


def predict_memory(shape: Shape, way: Way) -> Memory:
    """Return what the formulas promise.

    The peak is reached while one layer is differentiated: what the others keep, and that layer with its gradients
    (`_busy_layer`). In "full" its whole segment has been rebuilt before.
    """
    layer, core, stream = sum(kept_items(shape).values()), core_bytes(shape), shape.stream
    if way.mode == "full":
        starts = range(0, shape.layers, way.segment_size)
        # Segments are rebuilt from the last one on. A segment's input is among what its first layer keeps.
        lengths = [min(way.segment_size, shape.layers - start) for start in starts]
        peaks = [
            stream * before + (length - 1) * layer + _busy_layer(shape, layer) for before, length in enumerate(lengths)
        ]
        return Memory(stream * len(starts), 0, max(peaks))
    if way.mode == "offload":
        return Memory(0, shape.layers * layer, _offload_peak(shape))
    kept = layer - core if way.mode == "selective" else layer
    return Memory(shape.layers * kept, 0, (shape.layers - 1) * kept + _busy_layer(shape, kept))


def _busy_layer(shape: Shape, kept: int) -> int:
    """Return the most that a layer takes during its backward, if it has kept so much.

    Either when its backward begins: then there are the gradients of the last matrix's output, input and weights, and a
    dropout mask has gone. Or in the core of attention, when what came after has gone: then there are the input of the
    layer and of its matrices, queries, keys and values, the scores three times and their mask (`_scores`), and the
    gradients of the layer's output, of the attended values and of what is on the way between.
    """
    items, tokens, hidden = kept_items(shape), shape.seq * shape.batch, shape.sizes.hidden
    last = shape.value * tokens * shape.ffn + shape.value * hidden * shape.ffn
    if shape.sizes.dropout:
        last += shape.stream - tokens * hidden
    attention = 5 * shape.stream + items["queries"] + items["keys and values"] + _scores(shape)
    return max(kept + last, attention)


def _offload_peak(shape: Shape) -> int:
    """Return the most that one operation needs at once, when all else is on the host.

    Either in the forward of attention: a layer's input and that of its matrices, queries, keys and values, and the
    scores. Or in the backward of the last matrix, together with the matrix and its gradient; or in that of
    act(gate) · up.
    """
    items, wide = kept_items(shape), shape.value * shape.seq * shape.batch * shape.ffn
    attention = 2 * shape.stream + items["queries"] + items["keys and values"] + _scores(shape)
    last = shape.stream + 2 * (wide + shape.value * shape.sizes.hidden * shape.ffn)
    return max(attention, last, shape.stream + 5 * wide * shape.sizes.gated)


def _scores(shape: Shape) -> int:
    """Return the most that attention's scores take: before, after and in the next step, forward and backward alike."""
    items = kept_items(shape)
    return 3 * items.get("softmax", 0) + items.get("softmax dropout mask", 0)


def predict_flops(shape: Shape, way: Way) -> int:
    """Return the FLOPs of a step: three forwards, and what is recomputed.

    A forward has 24·s·b·h² + 4·b·s²·h per layer (K22, appendix A). A checkpoint stops its second forward at the last
    thing that the backward needs. That spares the last product, half of the core in "selective". In "full" dropout
    follows on the last product and its mask is needed, so that only a model without dropout is spared it.
    """
    tokens, sizes = shape.seq * shape.batch, shape.sizes
    core = 4 * tokens * shape.seq * sizes.hidden
    last = 2 * tokens * sizes.hidden * shape.ffn
    projections = 4 * tokens * sizes.hidden * (sizes.hidden + shape.kv_width)
    forward = core + projections + last * (3 if sizes.gated else 2)
    segments = -(-shape.layers // way.segment_size)
    again = {
        "full": shape.layers * forward - segments * last * (sizes.dropout == 0),
        "selective": shape.layers * core // 2,
    }
    return 3 * shape.layers * forward + again.get(way.mode, 0)


def ways_for(layers: int) -> tuple[Way, ...]:
    """Return what a benchmark compares for a decoder of so many layers."""
    segments = [Way("full", size) for size in SEGMENT_SIZES if size <= layers]
    return Way("none"), Way("selective"), *segments, Way("offload")

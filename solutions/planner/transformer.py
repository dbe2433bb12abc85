"""A transformer as the planner sees it: its shape, what each layer keeps for the backward, and its FLOPs.

Every stored tensor is one `Item`, so that each assumption can be seen and argued with. The items are those
of Korthikanti et al. 2022 (arXiv 2205.05198, "K22" below), section 4.1; what K22 does not treat is derived
beside the item. Left out everywhere: statistics of norms and of FlashAttention (a few values per token),
biases, rotary tables, and whatever an implementation stores beyond what its backward needs.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

FfnKind = Literal["gelu", "gated"]
Part = Literal["attention", "core", "ffn", "norm"]
FFN_KINDS = ("gelu", "gated")
_COUNTS = (
    "layers",
    "hidden",
    "heads",
    "seq",
    "batch",
    "bytes_per_value",
    "loss_chunks",
    "tensor_parallel",
    "pipeline_parallel",
    "interleaving",
    "expert_parallel",
)
_OPTIONAL_COUNTS = ("kv_heads", "head_size", "ffn", "microbatches")


@dataclass(frozen=True)
class LayerKind:
    """A run of equal layers within a model.

    Attributes
    ----------
    name
        What the plan calls them, such as "dense" or "expert".
    count
        How many of them follow each other.
    ffn
        Width of the feed-forward network, of one expert where there are experts; 0 for none.
    ffn_kind
        "gelu" (two matrices) or "gated" (three, such as SwiGLU).
    experts, experts_per_token
        Number of routed experts (0 for a dense layer), and how many of them each token visits.
    shared_ffn
        Width of an expert that every token visits besides, 0 for none.
    """

    name: str
    count: int
    ffn: int
    ffn_kind: FfnKind = "gelu"
    experts: int = 0
    experts_per_token: int = 0
    shared_ffn: int = 0


@dataclass(frozen=True)
class ModelConfig:
    """A model and how a training step runs it. Sizes are whole numbers of at least 1.

    Attributes
    ----------
    layers, hidden, heads, seq, batch
        `batch` is the microbatch that one GPU works on.
    kv_heads
        Key and value heads, by default as many as `heads`.
    head_size
        Width of one head, by default hidden / heads.
    ffn, ffn_kind
        Feed-forward width (by default 4·hidden) and kind, for models whose layers are all alike.
    kinds
        Runs of layers in order of depth, for models whose layers differ; then `ffn` and `ffn_kind` are not
        used.
    bytes_per_value
        2 for 16 bit. Dropout masks always take 1 byte per value, logits 4.
    flash_attention, dropout
        Whether attention runs in a fused kernel; whether the model uses dropout at all.
    vocabulary
        0 leaves embedding and output layer out of the account.
    tied_embeddings
        Whether embedding and output layer share their weights.
    loss_chunks
        In how many pieces logits and loss are computed.
    tensor_parallel, sequence_parallel, pipeline_parallel
        Degrees t and p, and whether the parts between the parallel matrices are split along the sequence.
    interleaving
        Pieces of the model per pipeline stage (m); 1 is the plain schedule, one forward, one backward.
    microbatches
        Microbatches per step, by default enough to fill the pipeline.
    expert_parallel
        Over how many GPUs the experts' weights are spread; counts for weights only.
    """

    layers: int
    hidden: int
    heads: int
    seq: int
    batch: int
    kv_heads: int | None = None
    head_size: int | None = None
    ffn: int | None = None
    ffn_kind: FfnKind = "gelu"
    kinds: tuple[LayerKind, ...] = ()
    bytes_per_value: int = 2
    flash_attention: bool = False
    dropout: bool = True
    vocabulary: int = 0
    tied_embeddings: bool = False
    loss_chunks: int = 1
    tensor_parallel: int = 1
    sequence_parallel: bool = False
    pipeline_parallel: int = 1
    interleaving: int = 1
    microbatches: int | None = None
    expert_parallel: int = 1

    def __post_init__(self) -> None:
        _check_model(self)

    @property
    def query_width(self) -> int:
        """Return the width of all query heads together."""
        return self.heads * (self.head_size or self.hidden // self.heads)

    @property
    def kv_width(self) -> int:
        """Return the width of all key heads together, which is also that of all value heads."""
        return self.query_width // self.heads * (self.kv_heads or self.heads)

    @cached_property
    def layer_kinds(self) -> tuple[LayerKind, ...]:
        """Return the kind of every layer, in order of depth, each with count 1."""
        runs = self.kinds or (LayerKind("layer", self.layers, self.ffn or 4 * self.hidden, self.ffn_kind),)
        return tuple(replace(run, count=1) for run in runs for _ in range(run.count))

    def stage_of(self, layer: int) -> int:
        """Return the pipeline stage that holds a layer."""
        piece = self.layers // (self.pipeline_parallel * self.interleaving)
        return layer // piece % self.pipeline_parallel

    def in_flight(self, stage: int) -> Fraction:
        """Return how many microbatches' activations of its layers a stage holds at once.

        Plain schedule: p - stage (K22, 4.2.3 and appendix C). Interleaved: the stage has
        2·(p - stage - 1) + (m - 1)·p + 1 pieces of 1/m under way, for the first stage K22's factor
        1 + (p - 1)/(p·m). That is an average over its pieces, of which the first holds the most. As the
        stronger policies stand first in a plan, the average is not too small.
        """
        p, m = self.pipeline_parallel, self.interleaving
        held = Fraction(p - stage) if m == 1 else Fraction(2 * (p - stage - 1) + (m - 1) * p + 1, m)
        return min(held, Fraction(self.microbatches or p * m))


@dataclass(frozen=True)
class Item:
    """Something that a layer keeps for its backward: its part of the layer, and its bytes per GPU."""

    name: str
    part: Part
    size: int


def layer_items(model: ModelConfig, kind: LayerKind) -> tuple[Item, ...]:
    """Return everything a layer of this kind keeps for its backward, per GPU.

    With the defaults the sizes add up to K22's Eq 1, with tensor parallelism to Eq 2, with sequence
    parallelism too to Eq 4, and without the part "core" to Table 2's selective rows (Eq 6).
    """
    v, t = model.bytes_per_value, model.tensor_parallel
    tokens = model.seq * model.batch
    # Between the parallel matrices every rank holds all tokens, or its share under sequence parallelism.
    shares = t if model.sequence_parallel else 1
    stream = v * tokens * model.hidden // shares  # one tensor as wide as the model
    mask = tokens * model.hidden // shares if model.dropout else 0  # one byte per value
    queries = v * tokens * model.query_width // t
    keys = v * tokens * model.kv_width // min(t, model.kv_heads or model.heads)  # one KV head per rank at least
    scores = model.heads * model.seq**2 * model.batch // t

    items = [
        Item("attention norm input", "norm", stream),
        Item("query, key and value input", "attention", stream),  # one tensor, shared by the three matrices
        Item("queries", "attention", queries),
        Item("keys and values", "attention", 2 * keys),  # grouped heads are not copied out to all query heads
    ]
    if not model.flash_attention:
        items.append(Item("softmax output", "core", v * scores))
        if model.dropout:  # without it the softmax output itself multiplies the values: nothing more to keep
            items.append(Item("softmax dropout mask", "core", scores))
            items.append(Item("softmax dropout output", "core", v * scores))
    items += [
        Item("attention projection input", "attention", queries),
        Item("attention dropout mask", "attention", mask),
    ]
    if kind.ffn or kind.shared_ffn:
        items += [Item("feed-forward norm input", "norm", stream), Item("feed-forward input", "ffn", stream)]
    if kind.experts:
        k = kind.experts_per_token
        # Dispatch copies every token once per expert it visits; weighting the results needs them and the
        # router's 32-bit probabilities.
        items.append(Item("router probabilities", "ffn", 4 * tokens * kind.experts // shares))
        items.append(Item("dispatched tokens", "ffn", k * stream))
        items += _ffn_items("expert ", k * v * tokens * kind.ffn // t, kind.ffn_kind)
        items.append(Item("expert outputs", "ffn", k * stream))
    elif kind.ffn:
        items += _ffn_items("", v * tokens * kind.ffn // t, kind.ffn_kind)
    if kind.shared_ffn:
        items += _ffn_items("shared expert ", v * tokens * kind.shared_ffn // t, kind.ffn_kind)
    if kind.ffn or kind.shared_ffn:
        items.append(Item("feed-forward dropout mask", "ffn", mask))
    return tuple(item for item in items if item.size)


def _ffn_items(prefix: str, wide: int, kind: FfnKind) -> list[Item]:
    """Return what a feed-forward network keeps besides its input; `wide` is one tensor of its inner width."""
    if kind == "gelu":
        names = ["activation input", "second matrix input"]
    else:  # down(act(gate) · up): the product's backward needs both factors; a fused kernel keeps fewer
        names = ["gate before activation", "gate after activation", "up projection", "down projection input"]
    return [Item(f"{prefix}{name}", "ffn", wide) for name in names]


def gradients_in_flight(model: ModelConfig, kind: LayerKind) -> int:
    """Return what a layer's backward needs at most besides all that the layer keeps, per GPU.

    Not in K22; derived from what PyTorch holds, which `outputs/planner_against_torch.md` shows. Either the gradients of
    the last matrix, which comes first: of its output, its input and its weights, while a dropout mask has gone. Or, if
    the scores are large, three tensors of their size in the backward of attention's core, beside five as wide as the
    model (layer input, input of the matrices, gradients of the output, of the attended values and of what is between),
    queries, keys and values, when what came after has gone.
    """
    v, t = model.bytes_per_value, model.tensor_parallel
    tokens = model.seq * model.batch
    shares = t if model.sequence_parallel else 1
    stream, mask = v * tokens * model.hidden // shares, tokens * model.hidden // shares
    width = max(kind.ffn * max(1, kind.experts_per_token), kind.shared_ffn) // t
    matrix = model.hidden * max(kind.ffn, kind.shared_ffn) // t
    last = v * tokens * width + v * matrix + (stream - mask if model.dropout else 0)

    sizes = {item.name: item.size for item in layer_items(model, kind)}
    attention = 5 * stream + sizes["queries"] + sizes["keys and values"]
    attention += 3 * sizes.get("softmax output", 0) + sizes.get("softmax dropout mask", 0)
    return max(last, attention - sum(sizes.values()))


def layer_flops(model: ModelConfig, kind: LayerKind) -> tuple[int, int]:
    """Return the FLOPs of one layer's forward and of its attention core, over all tensor-parallel ranks.

    With the defaults 24·b·s·h² + 4·b·s²·h and 4·b·s²·h (K22, appendix A): masks that halve the work of a
    causal core are not counted, and neither is anything but matrix products.
    """
    tokens, h = model.seq * model.batch, model.hidden
    core = 4 * tokens * model.seq * model.query_width
    projections = 4 * tokens * h * (model.query_width + model.kv_width)
    width = kind.ffn * max(1, kind.experts_per_token) + kind.shared_ffn
    ffn = (4 if kind.ffn_kind == "gelu" else 6) * tokens * h * width
    router = 2 * tokens * h * kind.experts
    return core + projections + ffn + router, core


def logits_flops(model: ModelConfig) -> int:
    """Return the FLOPs of the output layer's forward: 2·b·s·h·v."""
    return 2 * model.seq * model.batch * model.hidden * model.vocabulary


def stage_parameters(model: ModelConfig, stage: int) -> int:
    """Return how many parameters one GPU of a stage holds; biases and norms are left out."""
    h, t = model.hidden, model.tensor_parallel
    kv_ranks = min(t, model.kv_heads or model.heads)
    total = 0
    for layer, kind in enumerate(model.layer_kinds):
        if model.stage_of(layer) != stage:
            continue
        matrices = 2 if kind.ffn_kind == "gelu" else 3
        total += 2 * h * model.query_width // t + 2 * h * model.kv_width // kv_ranks
        experts = math.ceil(kind.experts / model.expert_parallel) if kind.experts else 1
        total += matrices * h * (experts * kind.ffn + kind.shared_ffn) // t + h * kind.experts
    ends = (stage == 0) + (stage == model.pipeline_parallel - 1)
    if model.tied_embeddings and model.pipeline_parallel == 1:
        ends = 1
    return total + ends * h * math.ceil(model.vocabulary / t)


def _require(condition: object, sentence: str) -> None:
    if not condition:
        raise ValueError(sentence)


def _check_model(model: ModelConfig) -> None:
    for name in (*_COUNTS, *_OPTIONAL_COUNTS):
        value = getattr(model, name)
        if value is None and name in _OPTIONAL_COUNTS:
            continue
        whole = isinstance(value, int) and not isinstance(value, bool)
        _require(whole and value >= 1, f"{name} must be a whole number of at least 1, not {value!r}.")
    v = model.vocabulary
    _require(isinstance(v, int) and v >= 0, f"vocabulary must be a whole number of at least 0, not {v!r}.")
    _require(model.ffn_kind in FFN_KINDS, f"ffn_kind must be one of {FFN_KINDS}, not {model.ffn_kind!r}.")

    t, heads, kv_heads = model.tensor_parallel, model.heads, model.kv_heads or model.heads
    pieces = model.pipeline_parallel * model.interleaving
    _require(model.head_size or model.hidden % heads == 0, "heads must divide hidden, or give head_size.")
    _require(heads % kv_heads == 0, f"kv_heads ({kv_heads}) must divide heads ({heads}).")
    _require(heads % t == 0, f"tensor_parallel ({t}) must divide heads ({heads}).")
    _require(
        kv_heads % t == 0 or t % kv_heads == 0,
        f"tensor_parallel ({t}) must divide kv_heads ({kv_heads}), or the other way round.",
    )
    _require(
        model.seq % t == 0 or not model.sequence_parallel,
        f"With sequence parallelism, tensor_parallel ({t}) must divide seq ({model.seq}).",
    )
    _require(
        model.layers % pieces == 0,
        f"layers ({model.layers}) must be a multiple of pipeline_parallel times interleaving ({pieces}).",
    )
    _require(
        model.interleaving == 1 or model.pipeline_parallel > 1,
        "interleaving needs more than one pipeline stage.",
    )
    if model.kinds:
        for kind in model.kinds:
            _check_kind(kind)
        total = sum(kind.count for kind in model.kinds)
        _require(total == model.layers, f"The kinds have {total} layers, the model {model.layers}.")
    kinds = set(model.layer_kinds)
    _require(len({k.name for k in kinds}) == len(kinds), "Different kinds of layers need different names.")
    for kind in kinds:
        _require(
            kind.ffn % t == 0 and kind.shared_ffn % t == 0,
            f"tensor_parallel ({t}) must divide the feed-forward width of every kind ({kind.name}).",
        )


def _check_kind(kind: LayerKind) -> None:
    sizes = (kind.ffn, kind.experts, kind.experts_per_token, kind.shared_ffn)
    _require(kind.count >= 1 and min(sizes) >= 0, f"{kind.name}: sizes must not be negative, count at least 1.")
    _require(kind.ffn_kind in FFN_KINDS, f"{kind.name}: ffn_kind must be one of {FFN_KINDS}.")
    _require(
        (kind.experts == kind.experts_per_token == 0) or 1 <= kind.experts_per_token <= kind.experts,
        f"{kind.name}: experts_per_token must be between 1 and experts.",
    )

"""What a decoder of any size would keep: the same code on fake tensors, which have shapes and no contents.

Nothing is computed and nothing takes memory, but autograd keeps what it would keep, and frees it when it would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.graph import saved_tensors_hooks

from lesson.decoder import BlockSizes
from lesson.messages import _
from lesson.torch_forecast import Memory, Shape, Way, kept_items, predict_memory
from lesson.torch_measure import Bench, RunBlocks, measure_memory
from lesson.torch_meter import sums_by_name

if TYPE_CHECKING:
    from rich.table import Table

_LLAMA_70B = BlockSizes(8192, 64, kv_heads=8, ffn=28672, gated=True, dropout=0.0)
GPT3 = Shape(96, BlockSizes(12288, 96), seq=2048, batch=1, dtype="bfloat16")
LLAMA_70B = Shape(80, _LLAMA_70B, seq=4096, batch=1, dtype="bfloat16")
LLAMA_70B_FUSED = Shape(
    80,
    BlockSizes(8192, 64, kv_heads=8, ffn=28672, gated=True, dropout=0.0, fused=True),
    seq=8192,
    batch=1,
    dtype="bfloat16",
)

# Where memory came into being in `lesson.decoder`, and what a reader calls it. The names of `kept_items` come first.
_READERS_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "block/add": "norm inputs",
        "attention_norm/native_layer_norm[0]": "query, key and value input",
        "attention_norm/mul": "query, key and value input",
        "query/addmm": "queries",
        "query/mm": "queries",
        "core/clone": "queries",  # those that share keys, below each other
        "key/addmm": "keys and values",
        "key/mm": "keys and values",
        "value/addmm": "keys and values",
        "value/mm": "keys and values",
        "core/_softmax": "softmax",
        "core.dropout/native_dropout[1]": "softmax dropout mask",
        "core.dropout/native_dropout[0]": "softmax dropout output",
        "block/clone": "attention projection input",
        "core/_scaled_dot_product_flash_attention_for_cpu[0]": "attention projection input",
        "ffn_norm/native_layer_norm[0]": "feed-forward input",
        "ffn_norm/mul": "feed-forward input",
        "up/addmm": "inside the feed-forward",
        "up/mm": "inside the feed-forward",
        "gate/mm": "inside the feed-forward",
        "block/silu": "inside the feed-forward",
        "block/gelu": "last matrix input",
        "block/mul": "last matrix input",
        "dropout/native_dropout[1]": "dropout masks",
        # Not in the formula.
        "core/triu": "causal mask",
        "core/bmm": "scores before the softmax",
        "core/div": "scores before the softmax",
        "core/masked_fill": "scores before the softmax",
        "attention_norm/native_layer_norm[1]": "statistics of norms",
        "attention_norm/native_layer_norm[2]": "statistics of norms",
        "attention_norm/rsqrt": "statistics of norms",
        "ffn_norm/native_layer_norm[1]": "statistics of norms",
        "ffn_norm/native_layer_norm[2]": "statistics of norms",
        "ffn_norm/rsqrt": "statistics of norms",
        "core/_scaled_dot_product_flash_attention_for_cpu[1]": "statistics of attention",
    }
)


@dataclass(frozen=True)
class AtScale:
    """What a decoder would hold.

    Attributes
    ----------
    shape, way
        The decoder, and how it was run.
    memory
        Kept, on the host, and at the peak, in bytes over parameters and their gradients.
    items, peak_items
        What is kept on the device, and what is there at the peak, in bytes of all layers, by what a reader calls it (as
        in `kept_items`); by part and operation where that is unknown.
    operations
        Reader's name → the parts and operations that created what is kept.
    """

    shape: Shape
    way: Way
    memory: Memory
    items: dict[str, int]
    peak_items: dict[str, int]
    operations: dict[str, str]

    def in_sbh(self, size: int) -> float:
        """Return bytes as a multiple of seq·batch·hidden of every layer: 34 + 5·a·s/h in K22's formula."""
        return size / (self.shape.seq * self.shape.batch * self.shape.sizes.hidden * self.shape.layers)


def at_scale(run_blocks: RunBlocks, shape: Shape, mode: str = "none", segment_size: int = 1) -> AtScale:
    """Run forward and backward on fake tensors and return what they would hold.

    Parameters
    ----------
    run_blocks
        Your own function of exercise 5.
    shape
        Such as `GPT3`; `dataclasses.replace(GPT3, layers=1)` is one layer of it.
    mode, segment_size
        The same as for `run_blocks`.

    Notes
    -----
    Device and host have to be two memories in "offload", so the fake device is then not the CPU. Only the CPU has fused
    attention for fake tensors, though: with it mode "none" runs on the CPU, and hooks move what is saved somewhere
    else, as `save_on_cpu` does.
    """
    way = Way(mode, segment_size if mode == "full" else 1)
    device, host, run = "cpu", "cpu", run_blocks
    if mode == "offload":
        device, host, run = ("cpu", "meta", _moving(run_blocks)) if shape.sizes.fused else ("meta", "cpu", run_blocks)
    with FakeTensorMode():
        held = measure_memory(run, Bench.of(shape, device), way, host)
    # In "offload" only the output is left, which nothing needs.
    kept = {name: size for name, size in held.kept.items() if mode != "offload" or name != "block/add"}
    operations: dict[str, str] = {}
    for operation in kept:
        name, maker = _name(operation), operation.partition("[")[0]  # whichever of its results
        if maker not in operations.get(name, "").split(", "):
            operations[name] = f"{operations[name]}, {maker}" if name in operations else maker
    return AtScale(shape, way, held.memory, named(kept), named(held.at_peak), operations)


def named(found: Mapping[str, int]) -> dict[str, int]:
    """Return sizes by what a reader calls them."""
    return sums_by_name((_name(operation), size) for operation, size in found.items())


def _name(operation: str) -> str:
    if operation == "backward/_to_copy":
        return "copies made by the backward"  # from the host, or into another type
    return "gradients in flight" if operation.startswith("backward/") else _READERS_NAMES.get(operation, operation)


def compare_items(found: AtScale) -> list[tuple[str, float, float, str]]:
    """Return what is kept item by item: name, by the formula and as found in sbh, and what created it.

    The formula is that of mode "none": in others, what is not kept is 0 on the right.
    """
    formula = {name: size * found.shape.layers for name, size in kept_items(found.shape).items()}
    names = [*formula, *(name for name in found.items if name not in formula)]
    return [
        (
            name,
            found.in_sbh(formula.get(name, 0)),
            found.in_sbh(found.items.get(name, 0)),
            found.operations.get(name, ""),
        )
        for name in names
    ]


def item_table(found: AtScale) -> Table:
    """Return `compare_items` as a table that a notebook and a terminal show."""
    from rich.table import Table

    sizes = found.shape.sizes
    table = Table(title=f"h {sizes.hidden}, s {found.shape.seq}, {found.way}", title_justify="left", show_footer=True)
    rows = compare_items(found)
    totals = [f"{sum(row[column] for row in rows):.3f}" for column in (1, 2)]  # type: ignore[misc]
    table.add_column(_("kept by a layer, in s·b·h"), footer=_("all"))
    table.add_column(_("formula"), justify="right", footer=totals[0])
    table.add_column(_("found"), justify="right", footer=totals[1])
    table.add_column(_("made by"))
    for name, formula, size, operations in rows:
        table.add_row(name, f"{formula:.3f}", f"{size:.3f}", operations)
    return table


def scale_table(run_blocks: RunBlocks, shape: Shape, ways: Sequence[Way]) -> Table:
    """Return what all layers hold in several ways, in GiB, beside the formulas."""
    from rich.table import Table

    table = Table()
    for name in ("", _("GiB kept"), _("predicted"), _("GiB peak"), _("predicted"), _("GiB on the host")):
        table.add_column(name, justify="right" if name else "left")
    for way in ways:
        found = at_scale(run_blocks, shape, way.mode, way.segment_size).memory
        predicted = predict_memory(shape, way)
        sizes = (found.kept, predicted.kept, found.peak, predicted.peak, found.host)
        table.add_row(str(way), *(f"{size / 2**30:.1f}" for size in sizes))
    return table


def _moving(run_blocks: RunBlocks) -> RunBlocks:
    def run(blocks: Sequence[object], x: Tensor, _mode: str, _segment_size: int) -> Tensor:
        with saved_tensors_hooks(lambda tensor: tensor.to("meta"), lambda tensor: tensor.to("cpu")):
            return run_blocks(blocks, x, "none", 1)

    return run

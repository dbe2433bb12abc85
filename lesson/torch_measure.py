"""Measure what each way of keeping activations costs in PyTorch, beside what the formulas of the course promise.

The formulas are those of Korthikanti et al. 2022 (arXiv 2205.05198, "K22" below), section 4.1 for bytes and appendix A
for FLOPs, with v bytes per value instead of 2. What K22 does not treat is derived where it stands.

Sizes in formulas: s `seq`, b `batch`, h `hidden`, a `heads`, f `ffn`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from lesson.decoder import BlockSizes, decoder
from lesson.messages import _
from lesson.torch_meter import MemoryMeter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

    from lesson.figures import Picture

SCHEMA = "torch_benchmark/1"
SEGMENT_SIZES = (1, 2, 3, 6)
SEED = 5
RunBlocks = Callable[..., Tensor]
"""`run_blocks(blocks, x, mode, segment_size)`, which returns the output of the last block."""


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
            raise ValueError(f"{self.dtype!r} is no floating-point type of PyTorch.")
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


@dataclass(frozen=True)
class Times:
    """Seconds of a step: median and quartiles of `repeats` steps."""

    median: float
    lower_quartile: float
    upper_quartile: float
    repeats: int


@dataclass(frozen=True)
class Compared:
    """A number as the formula has it, and as it was measured."""

    predicted: int
    measured: int


@dataclass(frozen=True)
class Row:
    """What was found out about one way with one type.

    Attributes
    ----------
    mode, segment_size
        `segment_size` is None where the mode is not "full".
    kept_bytes, peak_bytes
        As in `Memory`, on the device.
    host_bytes
        The same for the host; None where nothing is offloaded.
    memory_from
        "device", or "fake tensors" where the device and the host are the same memory, so that nothing can be moved
        from one to the other: then the same code ran on tensors without contents whose device is not the host.
    flops
        Of one step.
    loss_equal, gradients_equal
        Whether they are those of mode "none" to the last bit.
    largest_gradient_difference
        Between any two values.
    """

    dtype: str
    mode: str
    segment_size: int | None
    kept_bytes: Compared
    peak_bytes: Compared
    host_bytes: Compared | None
    memory_from: str
    flops: Compared
    seconds: Times
    loss_equal: bool
    gradients_equal: bool
    largest_gradient_difference: float


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


class DeviceMeter(MemoryMeter):
    """A `MemoryMeter` of one kind of device, which knows in which part of a block memory came into being.

    Attributes
    ----------
    parts : list of str
        Names of the modules that are running, the innermost last (see `naming_parts`). `by_operation` names memory
        "part/operation", "part/operation[1]" if it is the second result of several. The part is "backward" where no
        module is running.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device = device
        self.parts: list[str] = []
        self._log: list[tuple[int, str, int]] = []  # what came, and what went (then without a name)
        self._log_at_peak = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and take note of the memory it creates on the device."""
        kwargs = kwargs or {}
        given = {id(tensor.untyped_storage()) for tensor in _tensors((args, kwargs))}
        made = func(*args, **kwargs)
        name = f"{self.parts[-1] if self.parts else 'backward'}/{func.overloadpacket.__name__}"
        for index, tensor in enumerate(_tensors(made)):
            storage = tensor.untyped_storage()
            if tensor.device.type == self.device and id(storage) not in given:
                self._note(f"{name}[{index}]" if isinstance(made, tuple) else name, storage)
        return made

    def at_peak(self) -> dict[str, int]:
        """Return the bytes that were alive at the peak, like `by_operation`."""
        alive: dict[int, tuple[str, int]] = {}
        for number, name, size in self._log[: self._log_at_peak]:
            if name:
                alive[number] = (name, size)
            else:
                del alive[number]
        found: dict[str, int] = {}
        for name, size in alive.values():
            found[name] = found.get(name, 0) + size
        return found

    def _note(self, operation: str, storage: torch.UntypedStorage) -> None:
        before = self.peak
        super()._note(operation, storage)
        self._log.append((self._count, operation, storage.nbytes()))
        if self.peak > before:
            self._log_at_peak = len(self._log)

    def _forget(self, number: int) -> None:
        super()._forget(number)
        self._log.append((number, "", 0))


@contextmanager
def naming_parts(blocks: nn.ModuleList, meter: DeviceMeter) -> Iterator[None]:
    """Tell the meter which module of a block is running."""
    handles = []
    for block in blocks:
        for name, module in block.named_modules():

            def enter(_module: nn.Module, _args: Any, name: str = name) -> None:
                meter.parts.append(name or "block")

            def leave(_module: nn.Module, _args: Any, _out: Any) -> None:
                meter.parts.pop()

            handles.append(module.register_forward_pre_hook(enter))
            handles.append(module.register_forward_hook(leave, always_call=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@dataclass
class Bench:
    """A decoder with an input, whose gradients have their memory already, as in the second of two microbatches.

    So a gradient of a parameter is in flight only until it has been added, and never in what is measured as kept.

    Attributes
    ----------
    blocks : ModuleList
    x, grad : Tensor of shape (batch, seq, hidden)
        The input, which needs a gradient like the output of an embedding, and the gradient of the last output.
    """

    blocks: nn.ModuleList
    x: Tensor
    grad: Tensor

    @classmethod
    def of(cls, shape: Shape, device: torch.device | str) -> Bench:
        """Make one, always with the same numbers."""
        dtype = shape.torch_dtype
        blocks = decoder(shape.layers, shape.sizes, seed=SEED, device=device, dtype=dtype).train()
        torch.manual_seed(SEED)
        size = (shape.batch, shape.seq, shape.sizes.hidden)
        x, grad = (torch.randn(size, dtype=torch.float32).to(device, dtype) for _ in range(2))
        bench = cls(blocks, x.requires_grad_(), grad)
        for tensor in bench.trained():
            tensor.grad = torch.zeros_like(tensor)
        return bench

    def trained(self) -> list[Tensor]:
        """Return the input and all parameters."""
        return [self.x, *self.blocks.parameters()]

    def forward(self, run_blocks: RunBlocks, way: Way) -> Tensor:
        """Return the output; dropout draws the same numbers every time."""
        torch.manual_seed(SEED)
        return run_blocks(self.blocks, self.x, way.mode, way.segment_size)

    def step(self, run_blocks: RunBlocks, way: Way) -> Tensor:
        """Run forward and backward and return the output."""
        output = self.forward(run_blocks, way)
        output.backward(self.grad)
        return output.detach()

    def clear(self) -> None:
        """Set the gradients to 0."""
        with torch.no_grad():
            for tensor in self.trained():
                if tensor.grad is not None:
                    tensor.grad.zero_()


@dataclass(frozen=True)
class Held:
    """What a step held: in all, and by part and operation after the forward (with the last output) and at the peak."""

    memory: Memory
    kept: dict[str, int]
    at_peak: dict[str, int]


def measure_memory(run_blocks: RunBlocks, bench: Bench, way: Way, host_device: str = "cpu") -> Held:
    """Return what a step holds by `DeviceMeter`, which does not see what an operation frees within itself."""
    device = bench.x.device.type
    meter, host = DeviceMeter(device), DeviceMeter(host_device)
    # Where the device is the host there is nothing else to be counted.
    with host if device != host_device else nullcontext(), meter, naming_parts(bench.blocks, meter):
        output = bench.forward(run_blocks, way)
        kept = meter.alive - output.nbytes + (0 if way.mode == "offload" else bench.x.nbytes)
        items, on_host = meter.by_operation(), host.alive
        output.backward(bench.grad)
    return Held(Memory(kept, on_host, meter.peak), items, meter.at_peak())


def measure_apart(run_blocks: RunBlocks, shape: Shape, way: Way) -> Memory:
    """Return what a step would hold on a device that is not the host, by tensors without contents ("meta")."""
    with FakeTensorMode():
        return measure_memory(run_blocks, Bench.of(shape, "meta"), way).memory


def measure_cuda_peak(run_blocks: RunBlocks, bench: Bench, way: Way) -> int:
    """Return the most bytes that CUDA's allocator has given out during a step, less those before it."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    bench.step(run_blocks, way)
    torch.cuda.synchronize()
    return int(torch.cuda.max_memory_allocated() - before)


def measure_flops(run_blocks: RunBlocks, bench: Bench, way: Way) -> int:
    """Return the FLOPs of a step; PyTorch's counter knows none for the fused attention of a CPU."""
    with FlopCounterMode(display=False) as counter:
        bench.step(run_blocks, way)
    return int(counter.get_total_flops())


def time_step(run_blocks: RunBlocks, bench: Bench, way: Way) -> float:
    """Return the seconds of one step, forward and backward."""
    wait = torch.cuda.synchronize if bench.x.is_cuda else lambda: None
    bench.clear()
    wait()
    start = time.perf_counter()
    bench.step(run_blocks, way)
    wait()
    return time.perf_counter() - start


def compare_gradients(run_blocks: RunBlocks, bench: Bench, ways: Sequence[Way]) -> list[tuple[bool, bool, float]]:
    """Return for each way whether loss and gradients are those of mode "none", and their largest difference.

    The loss is the sum of the output times `bench.grad`, so that this is the output's gradient.
    """

    def run(way: Way) -> tuple[float, list[Tensor]]:
        bench.clear()
        loss = (bench.step(run_blocks, way).double() * bench.grad.double()).sum().item()
        return loss, [tensor.grad.clone() for tensor in bench.trained() if tensor.grad is not None]

    loss, gradients = run(Way("none"))
    found = []
    for way in ways:
        other_loss, others = run(way)
        pairs = list(zip(gradients, others, strict=True))
        largest = max(float((one.double() - other.double()).abs().max()) for one, other in pairs)
        found.append((other_loss == loss, all(torch.equal(*pair) for pair in pairs), largest))
    return found


def ways_for(layers: int) -> tuple[Way, ...]:
    """Return what a benchmark compares for a decoder of so many layers."""
    segments = [Way("full", size) for size in SEGMENT_SIZES if size <= layers]
    return Way("none"), Way("selective"), *segments, Way("offload")


def benchmark(
    run_blocks: RunBlocks,
    output: Path | str = Path("outputs/torch_benchmark.json"),
    *,
    device: str | None = None,
    dtypes: Sequence[str] = ("float32", "bfloat16"),
    layers: int = 6,
    sizes: BlockSizes | None = None,
    seq: int = 256,
    batch: int = 4,
    repeats: int = 15,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Measure every way of keeping activations, and write the result and a plot of it.

    Parameters
    ----------
    run_blocks : callable
        Your own of exercise 5.
    output : Path
        Where the result goes, as JSON; the plot lies beside it and ends with `.svg`.
    device : str, optional
        "cuda" if there is one, else "cpu".
    dtypes : sequence of str
        Types of weights and activations.
    layers, sizes, seq, batch
        The decoder and its input; sizes are by default hidden 256 and 8 heads, with dropout 0.1.
    repeats : int
        How many steps are timed for each way, in turns.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    dict
        What was written.
    """
    where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    sizes = sizes or BlockSizes(256, 8)
    shapes = [Shape(layers, sizes, seq, batch, dtype) for dtype in dtypes]
    ways = ways_for(layers)
    with _progress(len(shapes) * (1 + len(ways) + (1 + repeats) * len(ways)), progress) as advance:
        rows = [row for shape in shapes for row in _measure(run_blocks, shape, ways, where, repeats, advance)]
    report = {
        "schema": SCHEMA,
        "figures": "CPU figures only" if where.type == "cpu" else f"figures of {_device_name(where)}",
        "torch": torch.__version__,
        "python": platform.python_version(),
        "device": _device_name(where),
        "threads": torch.get_num_threads(),
        "model": {"layers": layers, "seq": seq, "batch": batch, **dataclasses.asdict(sizes)},
        "instruments": _instruments(where),
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    path = Path(output)
    _write(path, json.dumps(report, indent=2, allow_nan=False) + "\n")
    _write(path.with_suffix(".svg"), picture(report).svg())
    return report


def main(measure: Callable[..., dict[str, Any]], arguments: Sequence[str] | None = None) -> None:
    """Measure from the command line; `measure` takes the options of `benchmark` but for `run_blocks`."""
    from rich.console import Console

    parser = argparse.ArgumentParser(
        description="Measure run_blocks in every mode.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--output", default="outputs/torch_benchmark.json", help="where the result goes")
    parser.add_argument("--device", help='"cpu" or "cuda"; None: a GPU if there is one')
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"], help="of weights and activations")
    parser.add_argument("--layers", type=int, default=6, help="blocks of the decoder")
    parser.add_argument("--hidden", type=int, default=256, help="width of the decoder")
    parser.add_argument("--heads", type=int, default=8, help="attention heads")
    parser.add_argument("--seq", type=int, default=256, help="tokens per sequence")
    parser.add_argument("--batch", type=int, default=4, help="sequences")
    parser.add_argument("--repeats", type=int, default=15, help="timed steps per mode")
    options = vars(parser.parse_args(arguments))
    sizes = BlockSizes(options.pop("hidden"), options.pop("heads"))
    Console().print(table(measure(sizes=sizes, **options)))


def table(report: dict[str, Any]) -> Table:
    """Return a result as a table for the terminal."""
    from rich.table import Table

    found = Table(title=f"torch {report['torch']}, {report['figures']}", title_justify="left", caption_justify="left")
    for name in ("", _("MiB kept"), _("(said)"), _("peak"), _("(said)"), _("GFLOP"), _("ms"), _("gradients")):
        found.add_column(name, justify="right" if name else "left", no_wrap=True)
    for row in report["rows"]:
        if row["mode"] == "none":
            found.add_section()
            found.add_row(f"[bold]{row['dtype']}[/]")
        sizes = [row[key][which] / 2**20 for key in ("kept_bytes", "peak_bytes") for which in ("measured", "predicted")]
        equal = _("equal") if row["gradients_equal"] else f"± {row['largest_gradient_difference']:.1g}"
        found.add_row(
            _label(row), *(f"{size:.1f}" for size in sizes), f"{row['flops']['measured'] / 1e9:.1f}",
            f"{1000 * row['seconds']['median']:.0f}", equal,
        )  # fmt: skip
    found.caption = f"{_('(said): predicted')}\n{_footnote(report)}".strip()
    return found


def picture(report: dict[str, Any]) -> Picture:
    """Return a drawing of a result: predictions beside measurements, and time."""
    from lesson.figures import Picture

    rows = report["rows"]
    places = _places(rows)
    text = "; ".join(
        _("{dtype} {mode}: {kept:.1f} MiB kept, {peak:.1f} MiB peak, {time:.0f} ms").format(
            dtype=row["dtype"], mode=_label(row), kept=row["kept_bytes"]["measured"] / 2**20,
            peak=row["peak_bytes"]["measured"] / 2**20, time=1000 * row["seconds"]["median"],
        )
        for row in rows
    )  # fmt: skip

    def draw(axes: Sequence[Axes]) -> None:
        panels = (
            ("kept_bytes", 2**20, _("kept after the forward, MiB")), ("peak_bytes", 2**20, _("peak of a step, MiB")),
            ("flops", 1e9, _("work of a step, GFLOP")),
        )  # fmt: skip
        for ax, (key, unit, label) in zip(axes, panels, strict=False):
            pairs = [(row[key]["predicted"] / unit, row[key]["measured"] / unit) for row in rows]
            hosts = [row["host_bytes"] if key == "kept_bytes" else None for row in rows]
            _draw_pairs(ax, places, pairs, [
                f"{pair[1]:.1f}" + (_(", on the host {size:.1f}").format(size=host["measured"] / unit) if host else "")
                for pair, host in zip(pairs, hosts, strict=True)
            ])  # fmt: skip
            ax.set(xlabel=label)
        _draw_times(axes[3], places, [row["seconds"] for row in rows])
        for ax in axes:
            ax.set(ylim=(max(places) + 0.9, -1.5), xlim=(0, 1.16 * ax.dataLim.x1), yticks=[])
            ax.spines["left"].set_visible(False)
        axes[0].set_yticks(places, [_label(row) for row in rows])
        axes[0].tick_params(axis="y", length=0)
        for place, row in zip(places, rows, strict=True):
            if row["mode"] == "none":
                axes[0].text(0, place - 0.75, row["dtype"], fontweight="bold", va="center")
        axes[0].figure.legend(*axes[0].get_legend_handles_labels(), ncols=2, loc="outside upper left")
        axes[0].figure.suptitle(
            f"torch {report['torch']}, {report['figures']}; {_('time: median and quartiles')}\n{_footnote(report)}",
            fontsize=9, x=0.99, ha="right",
        )  # fmt: skip

    return Picture(draw, text, (11.5, 0.6 + 0.36 * (max(places) + 2)), axes=4)


def _draw_pairs(ax: Axes, places: Sequence[float], pairs: Sequence[tuple[float, float]], labels: Sequence[str]) -> None:
    from lesson.figures import _INK, _MIDDLE

    predicted, measured = zip(*pairs, strict=True)
    ax.barh([place - 0.19 for place in places], predicted, 0.36, facecolor="#fff", edgecolor=_INK, hatch="////",
            linewidth=0.8, label=_("predicted"))  # fmt: skip
    ax.barh([place + 0.19 for place in places], measured, 0.36, facecolor=_MIDDLE, edgecolor=_INK, linewidth=0.8,
            label=_("measured"))  # fmt: skip
    for place, value, label in zip(places, measured, labels, strict=True):
        ax.annotate(label, (value, place + 0.19), (3, 0), textcoords="offset points", va="center", fontsize=8)


def _draw_times(ax: Axes, places: Sequence[float], times: Sequence[dict[str, float]]) -> None:
    from lesson.figures import _INK, _MIDDLE

    medians = [1000 * found["median"] for found in times]
    below = [1000 * (found["median"] - found["lower_quartile"]) for found in times]
    above = [1000 * (found["upper_quartile"] - found["median"]) for found in times]
    ax.barh(places, medians, 0.5, xerr=[below, above], facecolor=_MIDDLE, edgecolor=_INK, linewidth=0.8,
            error_kw={"ecolor": _INK, "capsize": 3})  # fmt: skip
    for place, median, high in zip(places, medians, above, strict=True):
        ax.annotate(f"{median:.0f}", (median + high, place), (4, 0), textcoords="offset points", va="center",
                    fontsize=8)  # fmt: skip
    ax.set(xlabel=_("time of a step, ms"))


def _places(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Return where on the vertical axis each row goes; every type begins with a gap."""
    places: list[float] = []
    for row in rows:
        gap = 1.8 if row["mode"] == "none" else 1.0
        places.append(places[-1] + gap if places else 0.0)
    return places


def _label(row: dict[str, Any]) -> str:
    mark = "" if row["memory_from"] == "device" else " *"
    return f"{Way(row['mode'], row['segment_size'] or 1)}{mark}"


def _footnote(report: dict[str, Any]) -> str:
    """Return what the mark of a label means, if there is one."""
    if all(row["memory_from"] == "device" for row in report["rows"]):
        return ""
    return _("* memory: on fake tensors of a device that is not the host; time: nothing was copied")


def _measure(
    run_blocks: RunBlocks, shape: Shape, ways: Sequence[Way], device: torch.device, repeats: int,
    advance: Callable[[], None],
) -> list[Row]:  # fmt: skip
    bench = Bench.of(shape, device)
    equal = compare_gradients(run_blocks, bench, ways)
    advance()
    memories, flops = [], []
    for way in ways:
        memories.append(_memory_on(run_blocks, bench, shape, way))
        flops.append(measure_flops(run_blocks, bench, way))
        advance()
    times = _time_in_turns(run_blocks, bench, ways, repeats, advance)
    return [_row(shape, *found) for found in zip(ways, memories, flops, times, equal, strict=True)]


def _memory_on(run_blocks: RunBlocks, bench: Bench, shape: Shape, way: Way) -> tuple[Memory, str]:
    if way.mode == "offload" and bench.x.device.type == "cpu":
        return measure_apart(run_blocks, shape, way), "fake tensors"
    memory = measure_memory(run_blocks, bench, way).memory
    if bench.x.is_cuda:
        memory = dataclasses.replace(memory, peak=measure_cuda_peak(run_blocks, bench, way))
    return memory, "device"


def _time_in_turns(
    run_blocks: RunBlocks, bench: Bench, ways: Sequence[Way], repeats: int, advance: Callable[[], None]
) -> list[Times]:
    """Time all ways in turns, so that a disturbance hits all of them; the first turn warms up and does not count."""
    seconds: dict[Way, list[float]] = {way: [] for way in ways}
    for turn in range(1 + repeats):
        first = turn % len(ways)  # Each turn begins with another one.
        for way in (*ways[first:], *ways[:first]):
            found = time_step(run_blocks, bench, way)
            if turn:
                seconds[way].append(found)
            advance()
    quartiles = [[float(np.quantile(found, share)) for share in (0.25, 0.5, 0.75)] for found in seconds.values()]
    return [Times(median, lower, upper, repeats) for lower, median, upper in quartiles]


def _row(
    shape: Shape, way: Way, memory: tuple[Memory, str], flops: int, seconds: Times, equal: tuple[bool, bool, float]
) -> Row:
    found, source = memory
    predicted = predict_memory(shape, way)
    return Row(
        shape.dtype,
        way.mode,
        way.segment_size if way.mode == "full" else None,
        Compared(predicted.kept, found.kept),
        Compared(predicted.peak, found.peak),
        Compared(predicted.host, found.host) if way.mode == "offload" else None,
        source,
        Compared(predict_flops(shape, way), flops),
        seconds,
        *equal,
    )


def _instruments(device: torch.device) -> dict[str, str]:
    cuda = device.type == "cuda"
    return {
        "kept_bytes": "lesson.torch_measure.DeviceMeter: every storage once, parameters and gradients left out",
        "peak_bytes": (
            "torch.cuda.max_memory_allocated, less what was allocated before the step"
            if cuda
            else "lesson.torch_measure.DeviceMeter, which does not see what an operation frees within itself"
        ),
        "host_bytes": (
            "lesson.torch_measure.DeviceMeter; save_on_cpu copies every saved tensor by itself, weights included"
            + ("" if cuda else ". On a CPU host and device are the same memory, and offloading saves nothing")
        ),
        "flops": "torch.utils.flop_counter.FlopCounterMode",
        "seconds": "time.perf_counter, without meter and counter"
        + (", synchronised" if cuda else "; on a CPU offloading copies nothing, so that it costs no time here"),
    }


def _device_name(device: torch.device) -> str:
    return str(torch.cuda.get_device_name(device)) if device.type == "cuda" else device.type.upper()


@contextmanager
def _progress(total: int, shown: bool | None) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr, force_terminal=shown)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(_("Measuring"), total=total)
        yield lambda: bar.advance(task)


def _tensors(nest: Any) -> Iterator[Tensor]:
    return (leaf for leaf in tree_leaves(nest) if isinstance(leaf, Tensor))


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise

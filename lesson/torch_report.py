"""The benchmark of exercise 5: measure every way, write the result, show it as a table and a plot."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from lesson.decoder import BlockSizes
from lesson.messages import _
from lesson.torch_forecast import Shape, Way, ways_for
from lesson.torch_measure import RunBlocks, measure_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

    from lesson.figures import Picture

SCHEMA = "torch_benchmark/1"


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
    run_blocks
        Your own of exercise 5.
    output
        Where the result goes, as JSON; the plot lies beside it and ends with `.svg`.
    device
        "cuda" if there is one, else "cpu".
    dtypes
        Types of weights and activations.
    layers, sizes, seq, batch
        The decoder and its input; sizes are by default hidden 256 and 8 heads, with dropout 0.1.
    repeats
        How many steps are timed for each way, in turns.
    progress
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
        rows = [row for shape in shapes for row in measure_all(run_blocks, shape, ways, where, repeats, advance)]
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
    try:
        report = measure(sizes=sizes, **options)
    except Exception as error:  # noqa: BLE001 - whatever a student's unfinished code raises
        told = f"{type(error).__name__}: {error}".partition("\n")[0][:300].strip(": ")
        message = _("Nothing was measured: {error}. If run_blocks is the cause, `grader check` says more.")
        sys.exit(message.format(error=told.rstrip(".")))
    Console().print(table(report))


def table(report: dict[str, Any]) -> Table:
    """Return a result as a table for the terminal."""
    from rich import box
    from rich.table import Table

    found = Table(
        title=f"torch {report['torch']}, {report['figures']}",
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in ("", _("MiB kept"), _("predicted"), _("peak"), _("predicted"), _("GFLOP"), _("ms"), _("gradients")):
        found.add_column(name, justify="right" if name else "left", no_wrap=True)
    for row in report["rows"]:
        if row["mode"] == "none":
            found.add_section()
            found.add_row(f"[bold]{row['dtype']}[/]")
        sizes = [row[key][which] / 2**20 for key in ("kept_bytes", "peak_bytes") for which in ("measured", "predicted")]
        equal = _("equal") if row["gradients_equal"] else f"± {row['largest_gradient_difference']:.1g}"
        found.add_row(
            _label(row),
            *(f"{size:.1f}" for size in sizes),
            f"{row['flops']['measured'] / 1e9:.1f}",
            f"{1000 * row['seconds']['median']:.0f}",
            equal,
        )
    found.caption = _footnote(report)
    return found


def picture(report: dict[str, Any]) -> Picture:
    """Return a drawing of a result: predictions beside measurements, and time."""
    from lesson.figures import Picture

    rows = report["rows"]
    places = _places(rows)
    text = "; ".join(
        _("{dtype} {mode}: {kept:.1f} MiB kept, {peak:.1f} MiB peak, {time:.0f} ms").format(
            dtype=row["dtype"],
            mode=_label(row),
            kept=row["kept_bytes"]["measured"] / 2**20,
            peak=row["peak_bytes"]["measured"] / 2**20,
            time=1000 * row["seconds"]["median"],
        )
        for row in rows
    )

    def draw(axes: Sequence[Axes]) -> None:
        panels = (
            ("kept_bytes", 2**20, _("kept after the forward, MiB")),
            ("peak_bytes", 2**20, _("peak of a step, MiB")),
            ("flops", 1e9, _("work of a step, GFLOP")),
        )
        for ax, (key, unit, label) in zip(axes, panels, strict=False):
            pairs = [(row[key]["predicted"] / unit, row[key]["measured"] / unit) for row in rows]
            hosts = [row["host_bytes"] if key == "kept_bytes" else None for row in rows]
            _draw_pairs(
                ax,
                places,
                pairs,
                [
                    f"{pair[1]:.1f}"
                    + (_(", on the host {size:.1f}").format(size=host["measured"] / unit) if host else "")
                    for pair, host in zip(pairs, hosts, strict=True)
                ],
            )
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
            fontsize=9,
            x=0.99,
            ha="right",
        )

    return Picture(draw, text, (11.5, 0.6 + 0.36 * (max(places) + 2)), axes=4)


def _draw_pairs(ax: Axes, places: Sequence[float], pairs: Sequence[tuple[float, float]], labels: Sequence[str]) -> None:
    from lesson.figures import _INK, _MIDDLE

    predicted, measured = zip(*pairs, strict=True)
    ax.barh(
        [place - 0.19 for place in places],
        predicted,
        0.36,
        facecolor="#fff",
        edgecolor=_INK,
        hatch="////",
        linewidth=0.8,
        label=_("predicted"),
    )
    ax.barh(
        [place + 0.19 for place in places],
        measured,
        0.36,
        facecolor=_MIDDLE,
        edgecolor=_INK,
        linewidth=0.8,
        label=_("measured"),
    )
    for place, value, label in zip(places, measured, labels, strict=True):
        ax.annotate(label, (value, place + 0.19), (3, 0), textcoords="offset points", va="center", fontsize=8)


def _draw_times(ax: Axes, places: Sequence[float], times: Sequence[dict[str, float]]) -> None:
    from lesson.figures import _INK, _MIDDLE

    medians = [1000 * found["median"] for found in times]
    below = [1000 * (found["median"] - found["lower_quartile"]) for found in times]
    above = [1000 * (found["upper_quartile"] - found["median"]) for found in times]
    ax.barh(
        places,
        medians,
        0.5,
        xerr=[below, above],
        facecolor=_MIDDLE,
        edgecolor=_INK,
        linewidth=0.8,
        error_kw={"ecolor": _INK, "capsize": 3},
    )
    for place, median, high in zip(places, medians, above, strict=True):
        ax.annotate(
            f"{median:.0f}", (median + high, place), (4, 0), textcoords="offset points", va="center", fontsize=8
        )
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

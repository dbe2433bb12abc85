"""The figures of the lesson, drawn from a student's own functions.

Each function measures (`lesson.instruments`) and returns something that a notebook shows: a picture with a text that
says the same in numbers, and sliders where ipywidgets is installed. Nothing raises because a function is not written
yet, and everything is told apart by shape as well as by shade, so that it reads in black and white.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar

from lesson.instruments import Budget, Timeline, budgets, layer_shares, memory_timeline, sweep
from lesson.messages import _

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

__all__ = [
    "Picture",
    "Remark",
    "layer_at_scale",
    "layer_bytes",
    "memory_over_time",
    "model_at_scale",
    "policy_by_budget",
    "segment_sweep",
]

Shown = TypeVar("Shown")

_INK, _MIDDLE, _PALE = "#1a1a1a", "#7a7a7a", "#d9d9d9"
_STYLE: dict[str, Any] = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "hatch.linewidth": 1.1,
    "svg.hashsalt": "lesson",
    "legend.frameon": False,
}

GPT3: Mapping[str, Any] = {"layers": 96, "hidden": 12288, "heads": 96, "seq": 2048, "batch": 1}


class Remark:
    """A sentence in the place of a picture."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<div style="border-left:4px solid #808080; padding:.2em .8em">{escape(self.text)}</div>'


class Picture:
    """A drawing, and the text that says what it shows.

    Parameters
    ----------
    draw
        Draws on the axes that it is given.
    text
        For readers who cannot see the drawing, and where nothing can be drawn.
    size
        In inches.
    """

    def __init__(self, draw: Callable[[Sequence[Axes]], None], text: str, size: tuple[float, float], axes: int = 1):
        self.text = text
        self._draw, self._size, self._axes = draw, size, axes

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        source = base64.b64encode(self.svg().encode()).decode()
        image = f'<img style="max-width:100%; background:#fff" alt="{escape(self.text, quote=True)}"'
        return f'{image} src="data:image/svg+xml;base64,{source}">'

    def svg(self) -> str:
        """Return the drawing as SVG."""
        import matplotlib as mpl
        from matplotlib.figure import Figure

        with mpl.rc_context(_STYLE):
            figure = Figure(figsize=self._size, layout="constrained")
            self._draw([figure.add_subplot(1, self._axes, index + 1) for index in range(self._axes)])
            buffer = io.StringIO()
            figure.savefig(buffer, format="svg", metadata={"Date": None})
        return buffer.getvalue()


class _Live:
    """A picture that is drawn again when a slider moves; without ipywidgets it stands still."""

    def __init__(self, picture: Callable[..., Picture | Remark], **sliders: tuple[str, int, int, int]) -> None:
        self._picture = picture
        self._sliders = sliders
        self.widgets: dict[str, Any] = {}
        self.now = picture(**{name: value for name, (_label, value, _low, _high) in sliders.items()})

    def __repr__(self) -> str:
        return repr(self.now)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        shown = display(self.now, display_id=True)
        if isinstance(self.now, Remark) or importlib.util.find_spec("ipywidgets") is None or not _in_kernel():
            return
        import ipywidgets

        self.widgets = {
            name: ipywidgets.IntSlider(
                value, low, high, description=label, continuous_update=False, style={"description_width": "initial"}
            )
            for name, (label, value, low, high) in self._sliders.items()
        }

        def redraw(_change: object) -> None:
            self.now = self._picture(**{name: widget.value for name, widget in self.widgets.items()})
            shown.update(self.now)

        for widget in self.widgets.values():
            widget.observe(redraw, names="value")
        box = ipywidgets.HBox(list(self.widgets.values()), layout={"flex_flow": "row wrap"})
        data = box._repr_mimebundle_()
        display({**data, "text/plain": _("(Sliders, where this notebook runs.)")}, raw=True)


def memory_over_time(
    forward: Callable[..., Any], backward: Callable[..., Any], k: int = 4, n_layers: int = 48
) -> _Live:
    """Draw the live memory while a checkpointed step runs.

    Parameters
    ----------
    forward, backward
        `model_forward_checkpointed` and `model_backward_checkpointed`.
    k, n_layers
        Layers per segment, and in all.
    """

    def picture(k: int, n_layers: int) -> Picture | Remark:
        return _measured(lambda: _memory_picture(memory_timeline(forward, backward, k, n_layers)), forward, backward)

    return _Live(picture, k=("k", k, 1, n_layers), n_layers=("L", n_layers, 1, 2 * n_layers))


def segment_sweep(
    segment_memory: Callable[..., float],
    segment_overhead: Callable[..., float],
    n_layers: int = 64,
    layer_units: int = 17,
) -> _Live:
    """Draw memory and overhead for every segment size, by the student's own model."""

    def picture(n_layers: int, layer_units: int) -> Picture | Remark:
        return _measured(
            lambda: _sweep_picture(sweep(segment_memory, segment_overhead, n_layers, layer_units), layer_units),
            segment_memory,
            segment_overhead,
        )

    return _Live(picture, n_layers=("L", n_layers, 2, 128), layer_units=("A", layer_units, 1, 64))


def layer_bytes(hidden: int = 12288, heads: int = 96, seq: int = 2048) -> _Live:
    """Draw where a transformer layer's kept bytes and its FLOPs go."""

    def picture(hidden: int, heads: int, seq: int) -> Picture | Remark:
        return _drawable(lambda: _shares_picture(layer_shares(hidden, heads, seq), hidden, heads, seq))

    return _Live(
        picture,
        hidden=("hidden", hidden, 256, 20480),
        heads=("heads", heads, 1, 160),
        seq=("seq", seq, 256, 131072),
    )


def policy_by_budget(plan_policy: Callable[..., Sequence[str]], config: Mapping[str, Any] = GPT3) -> Picture | Remark:
    """Draw which policies the student's planner chooses as a memory budget shrinks."""
    memories = [round(300 * 0.925**step, 2) for step in range(50)]
    return _measured(lambda: _budget_picture(budgets(plan_policy, config, memories), config["layers"]), plan_policy)


def layer_at_scale(run_blocks: Callable[..., Any]) -> Table | Remark:
    """Tabulate what a layer of GPT-3 keeps, item by item, beside the formula; on tensors without contents."""
    from dataclasses import replace

    from lesson.torch_scale import GPT3, at_scale, item_table

    return _measured(lambda: item_table(at_scale(run_blocks, replace(GPT3, layers=1))), run_blocks)


def model_at_scale(run_blocks: Callable[..., Any]) -> Table | Remark:
    """Tabulate what all of GPT-3 keeps and its peak in every mode, beside the formulas; on tensors without contents."""
    from lesson.torch_forecast import Way
    from lesson.torch_scale import GPT3, scale_table

    ways = (Way("none"), Way("selective"), Way("full", 1), Way("full", 10), Way("offload"))
    return _measured(lambda: scale_table(run_blocks, GPT3, ways), run_blocks)


def _measured(make: Callable[[], Shown], *functions: Callable[..., Any]) -> Shown | Remark:
    """Return the picture, or what to do when the student's functions are not ready to be measured."""
    names = ", ".join(getattr(function, "__name__", repr(function)) for function in functions)
    try:
        return _drawable(make)
    except NotImplementedError:
        return Remark(
            _("This figure measures your own code. Write {functions} first, then run this cell again.").format(
                functions=names
            )
        )
    except Exception as error:  # noqa: BLE001 - whatever a student's unfinished code raises
        return Remark(
            _("This figure measures your own code, and {functions} raised {error}. See what the check says.").format(
                functions=names, error=f"{type(error).__name__}: {error}"[:300].strip(": ")
            )
        )


def _drawable(make: Callable[[], Shown]) -> Shown | Remark:
    picture = make()
    if isinstance(picture, Picture) and importlib.util.find_spec("matplotlib") is None:
        missing = _("Figures need matplotlib: run `%pip install matplotlib` in a cell. In words:")
        return Remark(f"{missing} {picture.text}")
    return picture


def _in_kernel() -> bool:
    """Return whether this runs in a notebook's kernel, which sliders need."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _memory_picture(line: Timeline) -> Picture:
    segments = math.ceil(line.n_layers / line.k)
    text = _(
        "L = {n_layers}, k = {k}: {after:.1f} arrays of the size of x are alive after the forward, {peak:.1f} at the "
        "peak of the backward. One input per segment makes {segments}."
    ).format(n_layers=line.n_layers, k=line.k, after=line.after_forward, peak=line.peak, segments=segments)

    def draw(axes: Sequence[Axes]) -> None:
        (ax,) = axes
        every = [*line.forward, *line.backward]
        turn = len(line.forward)
        ax.fill_between(range(turn), every[:turn], step="mid", color=_PALE)
        ax.fill_between(
            range(turn - 1, len(every)),
            every[turn - 1 :],
            step="mid",
            facecolor="#fff",
            edgecolor=_MIDDLE,
            hatch="///",
            linewidth=0,
        )
        ax.step(range(len(every)), every, where="mid", color=_INK, linewidth=1.4)
        ax.axvline(turn - 0.5, color=_INK, linewidth=1, linestyle=":")
        ax.axhline(line.after_forward, color=_INK, linewidth=1, linestyle="--")
        ax.annotate(
            _("{number:.1f} after the forward").format(number=line.after_forward),
            (0, line.after_forward),
            (6, 4),
            textcoords="offset points",
            ha="left",
            va="bottom",
        )
        top = max(line.peak * 1.18, 1.0)
        for x, label in ((turn / 2, _("forward")), (turn + len(line.backward) / 2, _("backward"))):
            ax.text(x, top * 0.985, label, ha="center", va="top")
        ax.set(
            xlim=(0, len(every)),
            ylim=(0, top),
            xticks=[],
            xlabel=_("time, in uses of a weight or bias"),
            ylabel=_("arrays of the size of x"),
        )

    return Picture(draw, text, (8.2, 3.3))


def _sweep_picture(points: Sequence[tuple[int, float, float]], layer_units: int) -> Picture:
    best = min(points, key=lambda point: (point[1], -point[0]))
    n_layers = len(points)
    text = _(
        "L = {n_layers}, A = {units}: memory is least at k = {k}, {memory:g} inputs; k = 1 takes {first:g}, k = L "
        "takes {last:g}. Overhead falls from {high:.1%} to {low:.1%}."
    ).format(
        n_layers=n_layers,
        units=layer_units,
        k=best[0],
        memory=best[1],
        first=points[0][1],
        last=points[-1][1],
        high=points[0][2],
        low=points[-1][2],
    )

    def draw(axes: Sequence[Axes]) -> None:
        left, right = axes
        sizes = [k for k, _memory, _overhead in points]
        left.plot(sizes, [memory for _k, memory, _overhead in points], color=_INK, marker=".", markersize=4)
        left.plot(
            [best[0]], [best[1]], marker="o", markersize=11, markerfacecolor="none", color=_INK, markeredgewidth=2
        )
        left.annotate(
            _("least at k = {k}").format(k=best[0]),
            (best[0], best[1]),
            (14, 18),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": _INK},
        )
        left.set(xscale="log", xlabel=_("layers per segment, k"), ylabel=_("memory, in inputs"), ylim=(0, None))
        ticks = [size for size in (1, 2, 4, 8, 16, 32, 64, 128) if size <= n_layers]
        left.set_xticks(ticks, [str(tick) for tick in ticks])
        left.minorticks_off()
        right.plot(
            [memory for _k, memory, _overhead in points],
            [100 * overhead for _k, _memory, overhead in points],
            linestyle="none",
            marker="s",
            markersize=4,
            color=_MIDDLE,
        )
        right.plot(
            [best[1]], [100 * best[2]], marker="o", markersize=11, markerfacecolor="none", color=_INK, markeredgewidth=2
        )
        for k, memory, overhead in points:
            if k in (best[0], n_layers // 4, n_layers // 2, n_layers):
                side = "right" if k == n_layers > 8 else "left"
                right.annotate(
                    f"k = {k}",
                    (memory, 100 * overhead),
                    (9 if side == "left" else -9, 7),
                    textcoords="offset points",
                    ha=side,
                )
        right.set(xlabel=_("memory, in inputs"), ylabel=_("overhead, % of a step"), xlim=(0, None), ylim=(-1.5, 38))

    return Picture(draw, text, (9.2, 3.4), axes=2)


def _shares_picture(shares: Mapping[str, tuple[float, float]], hidden: int, heads: int, seq: int) -> Picture:
    names = {
        "core": _("attention core"),
        "attention": _("rest of attention"),
        "mlp": _("MLP"),
        "norms": _("norms"),
    }
    listed = "; ".join(
        _("{part}: {size:.1%} of the bytes, {work:.1%} of the FLOPs").format(part=names[part], size=size, work=work)
        for part, (size, work) in shares.items()
    )
    text = f"hidden {hidden}, heads {heads}, seq {seq}. {listed}."
    fills = {"core": (_INK, ""), "attention": ("#fff", "///"), "mlp": (_PALE, ""), "norms": ("#fff", "...")}

    def draw(axes: Sequence[Axes]) -> None:
        (ax,) = axes
        for row in (0, 1):
            start = 0.0
            for part, values in shares.items():
                colour, hatch = fills[part]
                ax.barh(
                    row,
                    values[row],
                    left=start,
                    height=0.62,
                    facecolor=colour,
                    edgecolor=_INK,
                    hatch=hatch,
                    label=names[part] if row == 0 else None,
                )
                if values[row] > 0.045:
                    ax.text(
                        start + values[row] / 2,
                        row,
                        f"{values[row]:.0%}",
                        ha="center",
                        va="center",
                        color="#fff" if part == "core" else _INK,
                        bbox=None if part == "core" else {"facecolor": "#fff", "edgecolor": "none", "pad": 1.5},
                    )
                start += values[row]
        ax.set_yticks([0, 1], [_("kept bytes"), _("FLOPs")])
        ax.invert_yaxis()
        ax.set(xlim=(0, 1), xticks=[], title=f"hidden {hidden:,} · heads {heads} · seq {seq:,}")
        ax.spines["bottom"].set_visible(False)
        ax.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 0.0), handlelength=1.4)

    return Picture(draw, text, (8.2, 2.3))


def _budget_picture(found: Sequence[Budget], n_layers: int) -> Picture:
    fitting = [budget for budget in found if budget.counts]
    if not fitting:
        return Picture(lambda axes: None, _("No budget fits."), (8.2, 1.0))
    tightest = min(fitting, key=lambda budget: budget.memory_gb)
    text = _(
        "From {high:g} GB down to {low:.1f} GB the added time grows from {first:.1%} to {last:.1%}; below that nothing "
        "fits."
    ).format(high=fitting[0].memory_gb, low=tightest.memory_gb, first=fitting[0].overhead, last=tightest.overhead)
    fills = {"none": (_PALE, ""), "selective": ("#fff", "///"), "full": (_INK, ""), "offload": ("#fff", "...")}

    def draw(axes: Sequence[Axes]) -> None:
        (ax,) = axes
        memories = [budget.memory_gb for budget in fitting]
        below = [0.0] * len(fitting)
        for policy, (colour, hatch) in fills.items():
            heights = [float(budget.counts.get(policy, 0)) for budget in fitting]
            if any(heights):
                above = [low + height for low, height in zip(below, heights, strict=True)]
                ax.fill_between(
                    memories,
                    below,
                    above,
                    step="mid",
                    facecolor=colour,
                    edgecolor=_INK,
                    hatch=hatch,
                    linewidth=0.8,
                    label=policy,
                )
                below = above
        ax.set(xscale="log", xlabel=_("budget, GB"), ylabel=_("layers"), ylim=(0, n_layers))
        ticks = [tick for tick in (5, 10, 20, 40, 80, 160, 300) if min(memories) <= tick <= max(memories)]
        ax.set_xticks(ticks, [str(tick) for tick in ticks])
        ax.minorticks_off()
        time = ax.twinx()
        time.plot(
            memories, [100 * budget.overhead for budget in fitting], color="#fff", linewidth=5, solid_capstyle="butt"
        )
        time.plot(
            memories,
            [100 * budget.overhead for budget in fitting],
            color=_INK,
            linewidth=2,
            linestyle="--",
            label=_("added time"),
        )
        time.set(ylabel=_("added time, % of a step"), ylim=(0, None))
        time.spines["right"].set_visible(True)
        handles = [*ax.get_legend_handles_labels()[0], *time.get_legend_handles_labels()[0]]
        labels = [*ax.get_legend_handles_labels()[1], *time.get_legend_handles_labels()[1]]
        ax.legend(handles, labels, ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1.0))

    return Picture(draw, text, (8.2, 3.6))

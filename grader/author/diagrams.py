"""The diagrams of the lesson, drawn as plain SVG: black on a white card, so that they read in print, light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from html import escape

_FONT = "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\""
_GREY, _PALE, _INK = "#8a8a8a", "#e4e4e4", "#1a1a1a"
_HATCH = (
    '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<rect width="7" height="7" fill="#fff"/><path d="M0 0V7" stroke="{_INK}" stroke-width="2.4"/></pattern></defs>'
)


def diagrams() -> dict[str, str]:
    """Return every diagram of the text by its name."""
    # Names inside a picture are unique, so that several can stand in one page.
    return {name: draw().replace("hatch", f"hatch-{name.replace('_', '-')}") for name, draw in _DIAGRAMS.items()}


def _svg(width: int, height: int, parts: Iterable[str], title: str) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" {_FONT} font-size="14" fill="{_INK}">\n<title>{escape(title)}</title>\n{_HATCH}\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, text: str, anchor: str = "middle", size: int = 14, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"{more}>{escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, fill: str = "#fff", more: str = "") -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" fill="{fill}" stroke="{_INK}" '
        f'stroke-width="1.5"{more}/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 1.5, more: str = "") -> str:
    return f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{_INK}" stroke-width="{width:g}" fill="none"{more}/>'


def _arrow(x1: float, y1: float, x2: float, y2: float, width: float = 1.5, more: str = "") -> str:
    angle = math.atan2(y2 - y1, x2 - x1)
    size = 5 + 2 * width
    head = " ".join(
        f"{x2 - size * math.cos(angle + turn):.1f},{y2 - size * math.sin(angle + turn):.1f}" for turn in (0.45, -0.45)
    )
    end_x, end_y = x2 - size * 0.8 * math.cos(angle), y2 - size * 0.8 * math.sin(angle)
    tip = f'<polygon points="{x2:g},{y2:g} {head}" fill="{_INK}"/>'
    return _line(x1, y1, end_x, end_y, width, more) + tip


def _dot(x: float, y: float, *, kept: bool) -> str:
    """Draw an activation: a full dot when it is kept, a dashed ring when it is forgotten."""
    if kept:
        return f'<circle cx="{x:g}" cy="{y:g}" r="8" fill="{_INK}"/>'
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="7" fill="#fff" stroke="{_GREY}" stroke-width="1.5" stroke-dasharray="3 3"/>'
    )


_PITCH, _FIRST, _WIDE = 76, 58, 44


def _row(count: int, kept: Iterable[int], y: float) -> list[str]:
    """Draw a chain of layers with the activation in front of each."""
    kept = set(kept)
    parts = []
    for index in range(count):
        x = _FIRST + index * _PITCH
        parts += [
            _arrow(x - 28 if index == 0 else x - _PITCH + _WIDE, y, x, y),
            _box(x, y - 18, _WIDE, 36, _PALE),
            _text(x + _WIDE / 2, y + 5, str(index)),
            _dot(x - 16, y + 42, kept=index in kept),
            _line(x - 16, y + 2, x - 16, y + 34, 1, f' stroke-dasharray="2 3" opacity="{1 if index in kept else 0.4}"'),
        ]
    end = _FIRST + count * _PITCH - (_PITCH - _WIDE)
    parts += [_arrow(end, y, end + 30, y), _text(22, y + 5, "x", size=16, more=' font-style="italic"')]
    return parts


def _legend(x: float, y: float, items: Iterable[tuple[str, str]]) -> list[str]:
    parts = []
    for symbol, text in items:
        parts += [symbol.format(x=x, y=y - 5), _text(x + 14, y, text, "start", 13)]
        x += 40 + 7.0 * len(text)
    return parts


_FULL = f'<circle cx="{{x:g}}" cy="{{y:g}}" r="7" fill="{_INK}"/>'
_RING = (
    f'<circle cx="{{x:g}}" cy="{{y:g}}" r="6" fill="#fff" stroke="{_GREY}" stroke-width="1.5" stroke-dasharray="3 3"/>'
)
_SQUARE = '<rect x="{x:g}" y="{y:g}" width="14" height="14" transform="translate(-7 -7)" fill="url(#hatch)" ' + (
    f'stroke="{_INK}" stroke-width="1.2"/>'
)


def _chain() -> str:
    parts = [*_row(8, range(8), 48), *_legend(40, 134, [(_FULL, "kept: the input of every layer")])]
    return _svg(690, 150, parts, "A chain of eight layers; the input of every layer is kept")


def _bracket(first: int, last: int, y: float, text: str) -> list[str]:
    left, right = _FIRST + first * _PITCH - 4, _FIRST + last * _PITCH + _WIDE + 4
    path = f'<path d="M{left:g} {y + 8:g}V{y:g}H{right:g}V{y + 8:g}" stroke="{_INK}" stroke-width="1.5" fill="none"/>'
    return [path, _text((left + right) / 2, y - 6, text)]


def _checkpointed_chain() -> str:
    parts = [
        *_bracket(0, 3, 28, "segment 0 (k = 4)"),
        *_bracket(4, 7, 28, "segment 1"),
        *_row(8, (0, 4), 72),
        *_legend(40, 158, [(_FULL, "kept"), (_RING, "forgotten")]),
    ]
    return _svg(690, 174, parts, "Eight layers in two segments of four; only the input of layers 0 and 4 is kept")


def _rebuild() -> str:
    parts = [
        *_bracket(0, 3, 28, "waits: one dot"),
        *_bracket(4, 7, 28, "rebuilt from its input"),
        *_row(8, (0, 4), 72),
    ]
    for index in (5, 6, 7):
        parts.append(_SQUARE.format(x=_FIRST + index * _PITCH - 16, y=114))
    right, left = _FIRST + 8 * _PITCH - 20, _FIRST + 4 * _PITCH - 16
    parts += [
        _arrow(right, 146, left, 146, 3),
        _text((left + right) / 2, 168, "the gradient walks back", size=13),
        *_legend(40, 206, [(_FULL, "kept"), (_RING, "forgotten"), (_SQUARE, "rebuilt, for now")]),
    ]
    return _svg(
        690, 222, parts, "The second segment is rebuilt from its input while the gradient walks back through it"
    )


def _pareto() -> str:
    left, bottom, top, right = 70, 236, 24, 560
    middle = (bottom + top) / 2
    front = [(108, 64), (150, 112), (214, 150), (312, 186), (452, 214)]
    others = [(190, 84), (262, 128), (300, 96), (384, 168), (430, 132), (500, 190)]
    steps = "M" + " L".join(
        f"{x} {y}"
        for (x, y), (nx, _ny) in zip(front, [*front[1:], (right, 0)], strict=True)
        for x, y in ((x, y), (nx, y))
    )
    parts = [
        _arrow(left, bottom, right + 16, bottom),
        _arrow(left, bottom, left, top - 8),
        _text((left + right) / 2, bottom + 26, "memory"),
        _text(left - 22, middle, "overhead", more=f' transform="rotate(-90 {left - 22} {middle})"'),
        f'<path d="{steps}" stroke="{_INK}" stroke-width="1.2" fill="none" stroke-dasharray="5 4"/>',
        *(f'<circle cx="{x}" cy="{y}" r="8" fill="{_INK}"/>' for x, y in front),
        *(f'<circle cx="{x}" cy="{y}" r="7" fill="#fff" stroke="{_INK}" stroke-width="1.5"/>' for x, y in others),
        *_legend(
            300,
            40,
            [
                (_FULL, "on the front"),
                (_RING.replace(_GREY, _INK).replace(' stroke-dasharray="3 3"', ""), "dominated"),
            ],
        ),
    ]
    return _svg(600, 276, parts, "Segment sizes as points of memory and overhead; some are dominated by others")


def _attention_matrix() -> str:
    parts = [
        _box(48, 50, 40, 120, _PALE),
        _text(68, 40, "h"),
        _text(32, 115, "S"),
        _text(68, 192, "input"),
        _arrow(104, 110, 168, 110),
    ]
    for index in reversed(range(4)):
        parts.append(_box(186 + 16 * index, 66 - 12 * index, 120, 120, "url(#hatch)" if index == 0 else _PALE))
    parts += [
        _box(216, 112, 60, 26),
        _text(246, 130, "S \N{MULTIPLICATION SIGN} S"),
        _text(290, 208, "one matrix for every head"),
        _arrow(372, 110, 436, 110),
        _box(454, 50, 40, 120, _PALE),
        _text(474, 40, "h"),
        _text(510, 115, "S"),
        _text(474, 192, "output"),
    ]
    return _svg(550, 226, parts, "Between an input and an output of size S by h, every head makes a matrix of S by S")


def _budget() -> str:
    bars = (
        ("weights", 70, 70, "#fff"),
        ("gradients", 70, 70, "#fff"),
        ("optimizer state", 150, 150, "#fff"),
        ("activations", 250, 54, "url(#hatch)"),
        ("logits", 90, 90, "#fff"),
    )
    parts = [
        _text(150, 30, "without", "start", more=' font-weight="bold"'),
        _text(440, 30, "with checkpointing", "start", more=' font-weight="bold"'),
    ]
    for index, (name, before, after, fill) in enumerate(bars):
        y = 44 + 32 * index
        parts.append(_text(136, y + 16, name, "end"))
        for x, length in ((150, before), (440, after)):
            parts.append(_box(x, y, length, 22, fill if fill != "#fff" else _PALE))
    parts.append(_text(150, 226, "bytes of one training step; lengths only show the idea", "start", 12))
    return _svg(690, 240, parts, "Five bars of memory; checkpointing makes only that of the activations shorter")


_DIAGRAMS: dict[str, Callable[[], str]] = {
    "chain": _chain,
    "checkpointed_chain": _checkpointed_chain,
    "rebuild": _rebuild,
    "pareto": _pareto,
    "attention_matrix": _attention_matrix,
    "budget": _budget,
}

"""What of a submission could not run and was left out, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grader.messages import _, ngettext
from grader.words import printable
from grader.worker.wire import Malformed

# Told of one exercise; more would bury the rest.
MAX_TOLD = 5
MAX_REASON = 200


@dataclass(frozen=True)
class LeftOut:
    """One statement, cell or import that does not count.

    Attributes
    ----------
    file, cell, line
        Where it begins; the cell is None outside notebooks.
    module
        The module that is not there; empty when that is not the reason.
    seconds
        The limit that it passed; 0 when it did not.
    reason
        What it raised, for the student.
    names
        That it would have bound.
    """

    file: str
    cell: int | None
    line: int | None
    module: str
    seconds: float
    reason: str
    names: frozenset[str]

    @property
    def place(self) -> str:
        """File, cell and line."""
        return _place(self.file, self.cell, [self.line] if self.line else [])


def read_left_out(value: object, files: Container[str]) -> list[LeftOut]:
    """Turn a worker's report into what was left out.

    Raises
    ------
    Malformed
        When it is not one that our worker sends.
    """
    if not isinstance(value, list):
        raise Malformed("no list of what was left out")
    return [_read(entry, files) for entry in value]


def _read(entry: object, files: Container[str]) -> LeftOut:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str) or entry["file"] not in files:
        raise Malformed("something left out of a file that was not handed in")
    line, cell, seconds, names = (entry.get(name) for name in ("line", "cell", "seconds", "names"))
    return LeftOut(
        entry["file"],
        cell if type(cell) is int else None,
        line if type(line) is int else None,
        str(entry.get("module") or "")[:MAX_REASON].partition(".")[0],
        seconds if isinstance(seconds, float) else 0.0,
        _reason(entry),
        frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset(),
    )


def _reason(entry: Mapping[str, Any]) -> str:
    if entry.get("base") == "SystemExit":
        return _("it calls exit")
    message = str(entry.get("message", "")).partition("\n")[0][:MAX_REASON]
    return printable(": ".join(filter(None, [str(entry.get("type", ""))[:MAX_REASON], message]))).rstrip(".")


def sentences(left_out: Iterable[LeftOut]) -> list[str]:
    """Return what to tell about all that was left out, each thing once."""
    modules: dict[str, list[LeftOut]] = {}
    others: list[str] = []
    for each in dict.fromkeys(left_out):
        if each.module:
            modules.setdefault(each.module, []).append(each)
        elif each.seconds:
            others.append(
                _("{place} is left out after {seconds:g} seconds.").format(place=each.place, seconds=each.seconds)
            )
        else:
            others.append(_("{place} is left out: {reason}.").format(place=each.place, reason=each.reason))
    absences = [_absence(module, entries) for module, entries in modules.items()]
    told = absences[:MAX_TOLD] + others[:MAX_TOLD]
    more = len(absences) + len(others) - len(told)
    if more > 0:
        told.append(ngettext("{count} more is left out.", "{count} more are left out.", more).format(count=more))
    return told


def _absence(module: str, entries: list[LeftOut]) -> str:
    places: dict[tuple[str, int | None], list[int]] = {}
    for each in entries:
        places.setdefault((each.file, each.cell), []).extend([each.line] if each.line else [])
    text = "; ".join(_place(file, cell, sorted(set(lines))) for (file, cell), lines in places.items())
    return ngettext(
        "{module} is not there when you are graded; {places} is left out.",
        "{module} is not there when you are graded; {places} are left out.",
        sum(len(set(lines)) for lines in places.values()),
    ).format(module=printable(module), places=text)


def _place(file: str, cell: int | None, lines: list[int]) -> str:
    return printable(", ".join(_parts(file, cell, lines)))


def _parts(file: str, cell: int | None, lines: list[int]) -> Iterator[str]:
    yield file
    if cell is not None:
        yield _("code cell {cell}").format(cell=cell)
    if lines:
        yield ngettext("line {lines}", "lines {lines}", len(lines)).format(lines=", ".join(map(str, lines)))

"""Find the file of a submission that an import means, also after a download system has renamed it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

_WORDS = re.compile(r"[^\W\d_]+|\d+")
# What is added to a file's name when there is one of that name already, or by those who name versions.
_MARKS = frozenset({"copy", "of", "final", "late", "new", "version", "v"})


def file_meant(module: str, files: Iterable[str], folder: str) -> str | None:
    """Return the file that a module's name means.

    Parameters
    ----------
    module
        Dotted; leading parts may be folders that are not there any more.
    files
        Relative POSIX paths to choose from.
    folder
        Of the file that imports.
    """
    *parents, name = module.split(".")
    wanted = _words(name)
    found = []
    for file in files:
        path = PurePosixPath(file)
        # A package has the name of its folder.
        is_package = path.stem == "__init__" and path.parent.name
        rank = _rank(wanted, _words(path.parent.name if is_package else path.stem))
        if rank is not None:
            place = path.parent.parent if is_package else path.parent
            strangers = _strangers(parents, place.parts)
            found.append((rank, strangers, str(place) != (folder or "."), file.count("/"), file))
    return min(found)[-1] if found else None


def _strangers(parents: list[str], folders: tuple[str, ...]) -> int:
    """Count the parts of a dotted name, from its end, that are not the folders of a file."""
    matching = 0
    for parent, folder in zip(reversed(parents), reversed(folders), strict=False):
        if parent.casefold() != folder.casefold():
            break
        matching += 1
    return len(parents) - matching


def _words(name: str) -> list[str]:
    return _WORDS.findall(name.casefold())


def _rank(wanted: list[str], words: list[str]) -> int | None:
    """Return how far a file's name is from the wanted one; None when it is another one."""
    if words == wanted:
        return 0
    bare = _without_marks(words)
    if bare == wanted:
        return 1
    if bare and bare == _without_marks(wanted):
        return 2
    # "smith_123_456_recompute": a system puts numbers and names before.
    if wanted and len(bare) > len(wanted) and bare[-len(wanted) :] == wanted and any(map(str.isdigit, bare)):
        return 3
    return None


def _without_marks(words: list[str]) -> list[str]:
    first, last = 0, len(words)
    while last > first and _is_mark(words[last - 1]):
        last -= 1
    while first < last and _is_mark(words[first]):
        first += 1
    return words[first:last]


def _is_mark(word: str) -> bool:
    return word.isdigit() or word in _MARKS

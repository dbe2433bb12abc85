"""A student's functions in a namespace that they are working in: a notebook's kernel."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from grader.worker.importing import LIBRARIES
from grader.worker.loading import Unavailable


class NamespaceLoader:
    """The functions of a namespace as they are when they are asked for, so that a new definition counts at once.

    Parameters
    ----------
    namespace
        The globals that the student's code runs in.
    functions
        The graded names.
    texts
        Names of the strings that are graded like functions, and the file that may hold each of them instead.
    cell_of
        Returns the number of the cell whose code has a file name, if it is a cell's.
    """

    def __init__(
        self,
        namespace: MutableMapping[str, Any],
        functions: Iterable[str],
        texts: Mapping[str, str] | None = None,
        cell_of: Callable[[str], int | None] = lambda _filename: None,
    ) -> None:
        self._namespace = namespace
        self._wanted = frozenset(functions)
        self._texts = dict(texts or {})
        self._cell_of = cell_of

    def function(self, name: str) -> Callable[..., Any]:
        """Return the function that a graded name is bound to now."""
        value = self._namespace.get(name)
        if name not in self._wanted or not callable(value):
            raise Unavailable("missing")
        return value  # type: ignore[no-any-return]

    def origins(self) -> dict[str, str]:
        """Return the graded names that are bound; none is in a file."""
        return {name: "" for name in self._wanted if callable(self._namespace.get(name))}

    def imports(self) -> list[str]:
        """Return nothing: whatever a kernel needs it has imported."""
        return []

    def load(self, name: str) -> None:
        """Do nothing: what a kernel has run it has run."""

    def left_out(self) -> list[dict[str, Any]]:
        """Return nothing: the student has seen what raised."""
        return []

    def module(self, path: str) -> types.ModuleType:
        """Fail: there are no files."""
        raise LookupError(path)

    def modules(self) -> Iterator[object]:
        """Yield the namespace, and the student's own modules that its functions were imported from."""
        yield _Module(self._namespace)
        names = {getattr(self._namespace.get(name), "__module__", None) for name in self._wanted}
        for name in sorted(name for name in names if isinstance(name, str)):
            module = sys.modules.get(name)
            if module is not None and vars(module) is not self._namespace and name.partition(".")[0] not in LIBRARIES:
                yield module

    def text_file(self, name: str) -> str | None:
        """Return the graded text in a file, in `outputs/` or in the folder that the notebook runs in."""
        for folder in ("outputs", "."):
            with contextlib.suppress(OSError):
                text = Path(folder, self._texts[name]).read_text(encoding="utf-8-sig", errors="replace")
                if text.strip():
                    return text
        return None

    def text_string(self, name: str) -> str | None:
        """Return the string of a graded text's name, unless it is blank."""
        text = self._namespace.get(name)
        return str(text) if isinstance(text, str) and text.strip() else None

    def replace(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Fail: there is no reference where a student works."""
        raise LookupError("no reference answers in a notebook")

    def source(self, filename: str) -> dict[str, Any] | None:
        """Return the number of the cell that running code is from."""
        cell = self._cell_of(filename)
        return None if cell is None else {"cell": cell}

    def close(self) -> None:
        """Leave the namespace as it is."""


class _Module:
    """What looks like a module whose names are those of a namespace."""

    def __init__(self, namespace: MutableMapping[str, Any]) -> None:
        self.__dict__ = namespace  # type: ignore[assignment]

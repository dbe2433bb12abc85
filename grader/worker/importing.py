"""Import for a student's code what is there when it is graded, wherever it runs, and a stand-in for the rest."""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib.util
import posixpath
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, NoReturn, Protocol

from grader.worker.absent import absent
from grader.worker.deadlines import pause_innermost
from grader.worker.naming import file_meant

# Of the standard library what needs a screen, which a sandbox has not.
_NEEDS_A_SCREEN = frozenset({"tkinter", "turtle", "turtledemo", "idlelib", "curses", "antigravity"})
# Beside it: what exercises need. A package of `COURSE` comes with the course.
PACKAGES = ("numpy", "torch")
COURSE = ("grader", "lesson")
# The modules of `lesson` that answers use; the others measure and draw, which answers nothing.
LESSON_MODULES = ("policy_cost", "decoder", "torch_meter")
# Names that a file of a submission can never be imported under.
LIBRARIES = frozenset(sys.stdlib_module_names) | {
    "_pytest",
    "grader",
    "lesson",
    "numpy",
    "pluggy",
    "pytest",
    "rich",
    "solutions",
    "torch",
    "typer",
}
# Make a notebook something to import.
_NOTEBOOK_IMPORTERS = frozenset({"import_ipynb", "importnb", "nbimporter", "ipynb"})
_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class Files(Protocol):
    """What the imports of a submission need to know of it."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """Relative POSIX path of each file, and its bytes."""
        ...

    def module(self, path: str) -> types.ModuleType:
        """Run a file, unless it has been run, and return its module."""
        ...

    def place(self, filename: str) -> str | None:
        """Return the file that code is from, if it is the submission's."""
        ...

    def tree(self, filename: str) -> ast.AST | None:
        """Return the syntax tree of a file or cell that code names as its file."""
        ...

    def note_absent(self, module: str, filename: str, line: int) -> None:
        """Remember that a module was imported that is not there."""
        ...


class Importer:
    """Python's built-in names for the modules of a submission, with an `import` that knows what is there.

    Attributes
    ----------
    names
        The namespace to be used as `__builtins__`.
    """

    def __init__(self, submission: Files, own_import: Callable[[str], bool]) -> None:
        self._submission = submission
        self._is_own = own_import
        self._import = builtins.__import__
        self._notebooks_too = False
        self._known_lines: dict[str, tuple[frozenset[int], frozenset[int]]] = {}
        module = types.ModuleType("builtins")
        vars(module).update(vars(builtins))
        # `site` adds two of them where it is run, and nobody is there to be asked.
        vars(module).update({"__import__": self, "exit": _leave, "quit": _leave, "input": _no_answer})
        self._builtins = module
        self.names = vars(module)

    def __call__(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Do what an import statement asks for."""
        # Modules of the submission have deadlines of their own, and others do not count.
        with pause_innermost():
            if level:
                return self._relative(name, globals or {}, locals, fromlist or (), level)
            return self._absolute(name, globals, locals, fromlist or ())

    def _absolute(
        self, name: str, globals_: Mapping[str, Any] | None, locals_: Mapping[str, Any] | None, wanted: Sequence[str]
    ) -> Any:
        top = name.partition(".")[0]
        if name == "builtins":
            return self._builtins
        if top in COURSE:
            return self._of_course(name, globals_, locals_, wanted)
        if is_there(top):
            return self._of_library(name, globals_, locals_, wanted)
        if self._is_own(top):
            try:
                return self._import(name, globals_, locals_, wanted)
            except ModuleNotFoundError as error:
                if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                    raise
        found = None if top in LIBRARIES else self._renamed(name, wanted)
        return self._stand_in(name, wanted) if found is None else found

    def _relative(
        self,
        name: str,
        globals_: Mapping[str, Any],
        locals_: Mapping[str, Any] | None,
        wanted: Sequence[str],
        level: int,
    ) -> Any:
        try:
            return self._import(name, globals_, locals_, wanted, level)
        except ImportError as error:
            # There is no package: the files lie beside each other.
            if isinstance(error, ModuleNotFoundError) and error.name and self._is_elsewhere(error.name):
                raise
            folder = self._folder()
            for _step in range(level - 1):
                folder = posixpath.dirname(folder)
            if name:
                found = self._renamed(name, wanted, folder)
                if found is None:
                    raise
                return found
            modules = {each: self._module_meant(each, folder) for each in wanted}
            if None in modules.values():
                raise
            return types.SimpleNamespace(**modules)

    def _is_elsewhere(self, module: str) -> bool:
        return not self._is_own(module.partition(".")[0])

    def _of_library(
        self, name: str, globals_: Mapping[str, Any] | None, locals_: Mapping[str, Any] | None, wanted: Sequence[str]
    ) -> Any:
        try:
            module = self._import(name, globals_, locals_, wanted)
        except ImportError:
            # On a machine that lacks a part of the standard library.
            if name.partition(".")[0] in PACKAGES or self._is_guarded():
                raise
            return self._stand_in(name, wanted)
        missing = [each for each in wanted if each != "*" and not hasattr(module, each)]
        if not missing or self._is_guarded():
            return module
        # Such as a name of a newer Python's.
        return _Partly(module, {each: self._stand_in(f"{name}.{each}", ("",)) for each in missing}.__getitem__)

    def _of_course(
        self, name: str, globals_: Mapping[str, Any] | None, locals_: Mapping[str, Any] | None, wanted: Sequence[str]
    ) -> Any:
        def part(parent: str, child: str) -> Any:
            if parent == "lesson" and child in LESSON_MODULES:
                # Some need PyTorch, which may be missing.
                with contextlib.suppress(ImportError):
                    return importlib.import_module(f"lesson.{child}")
            return absent(f"{parent}.{child}", self._is_decorator, is_quiet=True)

        top, _dot, rest = name.partition(".")
        if top == "grader" and rest.partition(".")[0] == "worker":
            return self._import(name, globals_, locals_, wanted)
        package = _Partly(importlib.import_module(top), functools.partial(part, top), known=())
        if not wanted or not rest:
            return package
        return part(top, rest)

    def _renamed(self, name: str, wanted: Sequence[str], folder: str | None = None) -> Any:
        """Return a module of the submission that is meant by a name which is not quite its own."""
        module = self._module_meant(name, self._folder() if folder is None else folder)
        if module is None or wanted or "." not in name:
            return module
        # `import work.recompute` binds "work".
        for part in reversed(name.split(".")[1:]):
            module = types.SimpleNamespace(**{part: module})
        return module

    def _module_meant(self, name: str, folder: str) -> Any:
        suffixes = (".py", ".ipynb") if self._notebooks_too else (".py",)
        files = [path for path in self._submission.files if path.endswith(suffixes)]
        path = file_meant(name, files, folder)
        return None if path is None else self._submission.module(path)

    def _stand_in(self, name: str, wanted: Sequence[str]) -> Any:
        if self._is_guarded():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        frame = next(self._frames(), None)
        if frame is not None:
            self._submission.note_absent(name, frame.f_code.co_filename, frame.f_lineno)
        self._notebooks_too = self._notebooks_too or name.partition(".")[0] in _NOTEBOOK_IMPORTERS
        return absent(name if wanted else name.partition(".")[0], self._is_decorator)

    def _folder(self) -> str:
        frame = next(self._frames(), None)
        return "" if frame is None else posixpath.dirname(self._submission.place(frame.f_code.co_filename) or "")

    def _frames(self) -> Iterator[FrameType]:
        """Yield the frames of the student's that are running, the innermost first."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._submission.place(frame.f_code.co_filename) is not None:
                yield frame
            frame = frame.f_back

    def _is_guarded(self) -> bool:
        """Whether the student's code has an alternative for a module that is not there."""
        return any(frame.f_lineno in self._lines(frame)[0] for frame in self._frames())

    def _is_decorator(self, frame: FrameType) -> bool:
        return self._submission.place(frame.f_code.co_filename) is not None and frame.f_lineno in self._lines(frame)[1]

    def _lines(self, frame: FrameType) -> tuple[frozenset[int], frozenset[int]]:
        """Return the lines of a frame's file where an import may fail, and those with decorators."""
        filename = frame.f_code.co_filename
        if filename not in self._known_lines:
            self._known_lines[filename] = _lines(self._submission.tree(filename))
        return self._known_lines[filename]


def _lines(tree: ast.AST | None) -> tuple[frozenset[int], frozenset[int]]:
    guarded: set[int] = set()
    decorators: set[int] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                decorators.update(_range(decorator, decorator))
        elif (isinstance(node, ast.Try) and any(_catches(handler.type) for handler in node.handlers)) or (
            isinstance(node, ast.With) and any(_suppresses(item.context_expr) for item in node.items)
        ):
            guarded.update(_range(node.body[0], node.body[-1]))
    return frozenset(guarded), frozenset(decorators)


def _range(first: ast.stmt | ast.expr, last: ast.stmt | ast.expr) -> range:
    return range(first.lineno, (last.end_lineno or last.lineno) + 1)


def is_there(top: str) -> bool:
    """Whether a package or module of another's is there when a submission is graded, by the first part of its name."""
    if top in PACKAGES:
        return top in sys.modules or importlib.util.find_spec(top) is not None
    return (top in sys.stdlib_module_names and top not in _NEEDS_A_SCREEN) or top == "__main__"


class _Partly:
    """A module, of which some names stand for something else.

    Parameters
    ----------
    other
        Returns what is not in the module.
    known
        The names that come from the module; by default all that it has.
    """

    def __init__(
        self, module: types.ModuleType, other: Callable[[str], Any], known: Sequence[str] | None = None
    ) -> None:
        self._module = module
        self._other = other
        self._known = known

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or (self._known is None and hasattr(self._module, name)):
            return getattr(self._module, name)
        return self._other(name)


def _catches(caught: ast.expr | None) -> bool:
    """Whether a handler takes errors of imports."""
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(name, ast.Name) and name.id in _IMPORT_ERRORS for name in names)


def _suppresses(context: ast.expr) -> bool:
    """Whether a `with` statement is `suppress(ImportError)`."""
    return (
        isinstance(context, ast.Call)
        and ast.unparse(context.func).rpartition(".")[2] == "suppress"
        and any(map(_catches, context.args))
    )


def _no_answer(prompt: object = "") -> NoReturn:
    raise EOFError("EOF when reading a line")


def _leave(code: object = None) -> NoReturn:
    raise SystemExit(code)

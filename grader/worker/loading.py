"""Find and run a submission's functions, straight from the bytes of its files.

Nothing is written to disk: files of a submission import each other through a finder that knows their bytes. A file
is run only when one of its functions is asked for, or another file imports it. It is run statement by statement, see
`statements`; what could not run is left out and can be asked for.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import errno
import functools
import importlib
import importlib.abc
import importlib.machinery
import io
import linecache
import re
import sys
import tokenize
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Protocol

from grader.worker.beside import ROOT, Beside, replace_functions, restore_functions
from grader.worker.describing import MAX_NAME, describe
from grader.worker.importing import LIBRARIES, Importer
from grader.worker.notebooks import RUN_FILE, Cell, NotANotebook
from grader.worker.statements import NOT_PYTHON, Failure, Program, Statement, module_level

# What could not run is told of this many statements and imports.
MAX_LEFT_OUT = 100
_MAX_NAMES = 20
_MAX_REASON = 300

_PREFIX = "<submission>"
_DEFINITION = re.compile(r"^(?:async\s+)?def\s+(\w+)|^(\w+)\s*=", re.MULTILINE)
# How names are bound that no statement of the module names.
_BINDS_AT_RUN_TIME = re.compile(rb"\b(?:globals|locals|vars|setattr|exec|__dict__)\b")


class Unavailable(Exception):
    """A graded function that cannot be called.

    Attributes
    ----------
    kind
        "missing", "stub", "conflict" (two different definitions), "broken" (its file cannot be parsed) or "left_out"
        (the statement that should bind it could not run).
    files
        The files concerned.
    error
        For "broken" and "left_out": type, message and line of the error, or the limit that was passed, in seconds.
    """

    def __init__(self, kind: str, files: Sequence[str] = (), error: Mapping[str, Any] | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.files = list(files)
        self.error = dict(error or {})


class Functions(Protocol):
    """Where a student's functions come from."""

    def function(self, name: str) -> Callable[..., Any]:
        """Return a graded function; raises `Unavailable`, or what the student's code raises meanwhile."""
        ...

    def origins(self) -> dict[str, str]:
        """Return the file of every graded function that there is."""
        ...

    def imports(self) -> list[str]:
        """Return the packages that the files of those functions import."""
        ...

    def load(self, name: str) -> None:
        """Run what a graded function needs, unless that has been done."""
        ...

    def left_out(self) -> list[dict[str, Any]]:
        """Return what could not run since this was last asked: file, cell, line, and why."""
        ...

    def modules(self) -> Iterator[object]:
        """Yield what holds the student's names in its `__dict__`."""
        ...

    def replace(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Put other functions in the place of the student's."""
        ...

    def source(self, filename: str) -> dict[str, Any] | None:
        """Return the file, and the number of the cell in a notebook, that some running code of the student's is from.

        None when the code is not the student's.
        """
        ...

    def close(self) -> None:
        """Forget the student's code."""
        ...


@dataclass(frozen=True)
class _Candidate:
    """One module-level binding of a graded name."""

    file: str
    kind: str  # "definition", "import", "stub" or "broken"
    text: str = ""  # of a definition; the file name of the code, of a broken one


class Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules of one submission.

    Parameters
    ----------
    files
        Relative POSIX path of each file, and its bytes; only `.py` files and notebooks are taken for Python. The
        student's code can read all of them.
    functions
        The graded names to look for.
    texts
        Names of the strings that are graded like functions, and the file that may hold each of them instead.
    sealed
        Whether this process is in a sandbox, which decides what else the code can read.
    too_slow
        File, cell and line of statements that are known to take too long and are not tried again.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        functions: Iterable[str],
        texts: Mapping[str, str] | None = None,
        *,
        sealed: bool = False,
        too_slow: Iterable[tuple[str, int | None, int]] = (),
    ) -> None:
        self.files = dict(sorted(files.items(), key=lambda item: (item[0].count("/"), item[0])))
        self.beside = Beside(self.files, sealed=sealed)
        self._texts = dict(texts or {})
        self._wanted = frozenset(functions) | self._texts.keys()
        self._folders = {""} | {
            "" if str(parent) == "." else str(parent) for path in files for parent in PurePosixPath(path).parents
        }
        self._modules: dict[str, types.ModuleType] = {}
        self._failures: dict[str, BaseException] = {}
        self._replaced: dict[str, Callable[..., Any]] = {}
        self._syntax_errors: dict[str, dict[str, Any]] = {}
        self._programs: dict[str, Program] = {}
        self._cells: dict[str, tuple[str, Cell]] = {}
        self._stubs: set[tuple[str, int]] = set()
        self._left_out: list[dict[str, Any]] = []
        self._too_slow = frozenset(too_slow)
        self._candidates = self._scan()
        # Modules of this process that have the name of a submitted file step aside until `close`.
        names = {part for path in files for part in PurePosixPath(path).with_suffix("").parts} - LIBRARIES
        self._set_aside = {name: sys.modules.pop(name) for name in names if name in sys.modules}
        sys.meta_path.insert(0, self)
        replace_functions(self)
        self._importer = Importer(self, lambda name: self.find_spec(name) is not None)

    def close(self) -> None:
        """Forget the submission's modules."""
        restore_functions(self)
        sys.meta_path.remove(self)
        for name, module in list(sys.modules.items()):
            if any(module is own for own in self._modules.values()) or _is_virtual(module):
                del sys.modules[name]
        for filename in (*self.files, *self._cells):
            linecache.cache.pop(filename, None)
            linecache.cache.pop(f"{ROOT}/{filename}", None)
        sys.modules.update(self._set_aside)

    def origin(self, function: str) -> str:
        """Return the file that a graded function is taken from.

        Raises
        ------
        Unavailable
            When there is none, or no single one.
        """
        candidates = self._candidates.get(function, [])
        for kind in ("definition", "import"):
            chosen = [candidate for candidate in candidates if candidate.kind == kind]
            if len({candidate.text for candidate in chosen}) > 1 and kind == "definition":
                raise Unavailable("conflict", [candidate.file for candidate in chosen])
            if chosen:
                return chosen[0].file
        for candidate in candidates:
            if candidate.kind == "broken":
                raise Unavailable("broken", [candidate.file], self._syntax_errors[candidate.text])
        if candidates:
            raise Unavailable("stub", [candidates[0].file])
        raise Unavailable("missing")

    def origins(self) -> dict[str, str]:
        """Return the file of every graded function that there is, and of every graded string."""
        found = {}
        for function in self._wanted:
            with contextlib.suppress(Unavailable):
                found[function] = self.origin(function)
        return found

    def imports(self) -> list[str]:
        """Return the packages that are imported by files from which graded functions are taken; nothing is run."""
        found: set[str] = set()
        statements = (each for path in set(self.origins().values()) for each in self._programs[path].statements)
        for node in (node for statement in statements for node in ast.walk(statement.node)):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
        return sorted(found)

    def load(self, name: str) -> None:
        """Run the file of a graded function, or those that may bind it as they run."""
        try:
            files = [self.origin(name)]
        except Unavailable as problem:
            files = self._binding_at_run_time() if problem.kind in ("missing", "stub") else []
        for path in files:
            with contextlib.suppress(Unavailable):
                self._run_or_tell(path)

    def function(self, name: str) -> Callable[..., Any]:
        """Return a graded function, running its file first if need be.

        Raises
        ------
        Unavailable
            When there is none, or no single one, or what should bind it could not run.
        """
        if name in self._replaced:
            return self._replaced[name]
        try:
            origin = self.origin(name)
            value = getattr(self._run_or_tell(origin), name, None)
            if callable(value):
                return value  # type: ignore[no-any-return]
            failure = self._programs[origin].lost.get(name)
            if failure is not None:
                raise Unavailable("left_out", [origin], self._told(failure))
            raise Unavailable("missing", [origin])
        except Unavailable as problem:
            if problem.kind not in ("missing", "stub"):
                raise
            for path in self._binding_at_run_time():
                value = getattr(self._run_or_tell(path), name, None)
                if callable(value) and not self._is_stub(value):
                    return value  # type: ignore[no-any-return]
            raise

    def left_out(self) -> list[dict[str, Any]]:
        """Return what could not run since this was last asked.

        Returns
        -------
        list of dict
            `file`, `cell` and `line`; for a module that is not there its name as `module`, for a statement that took
            too long its limit in `seconds`, else `type`, `message` and `base` of what it raised; `names` that it would
            have bound.
        """
        found, self._left_out = self._left_out[:MAX_LEFT_OUT], []
        return found

    def source(self, filename: str) -> dict[str, Any] | None:
        """Return the file, and the number of the cell in a notebook, that running code is from."""
        if filename in self._cells:
            path, cell = self._cells[filename]
            return {"file": path, "cell": cell.number}
        return {"file": filename} if filename in self.files else None

    def place(self, filename: str) -> str | None:
        """Return the file that code is from, if it is the submission's."""
        return self._cells[filename][0] if filename in self._cells else filename if filename in self.files else None

    def tree(self, filename: str) -> ast.AST | None:
        """Return the syntax tree of a file or cell."""
        program = self._programs.get(self.place(filename) or "")
        if program is None:
            return None
        return ast.Module([each.node for each in program.statements if each.file == filename], [])

    def note_absent(self, module: str, filename: str, line: int) -> None:
        """Remember that a module was imported that is not there."""
        note = {**(self.source(filename) or {}), "line": line, "module": module.partition(".")[0][:MAX_NAME]}
        if note not in self._left_out:
            self._left_out.append(note)

    def text_file(self, name: str) -> str | None:
        """Return the graded text that stands in a file of its own, the one in `outputs/` if there are several."""
        found = [path for path in self.files if PurePosixPath(path).name == self._texts[name]]
        found.sort(key=lambda path: PurePosixPath(path).parent.name != "outputs")
        texts = (self.files[path].decode("utf-8-sig", "replace") for path in found)
        return next(filter(str.strip, texts), None)

    def text_string(self, name: str) -> str | None:
        """Return the first string of a graded text's name that is not blank.

        Raises
        ------
        Unavailable
            When its file cannot be parsed, or the statement that should bind it could not run.
        """
        for candidate in sorted(self._candidates.get(name, []), key=lambda found: found.kind == "broken"):
            if candidate.kind == "broken":
                raise Unavailable("broken", [candidate.file], self._syntax_errors[candidate.text])
            text = getattr(self._run_or_tell(candidate.file), name, None)
            failure = self._programs[candidate.file].lost.get(name)
            if failure is not None:
                raise Unavailable("left_out", [candidate.file], self._told(failure))
            if isinstance(text, str) and str.strip(text):
                return str.__str__(text)
        return None

    def modules(self) -> Iterator[types.ModuleType]:
        """Yield the modules that have been run."""
        yield from self._modules.values()

    def replace(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Put other functions in the place of the student's, in every module of the submission."""
        self._replaced.update(functions)
        for module in self._modules.values():
            vars(module).update(functions)

    def module(self, path: str) -> types.ModuleType:
        """Run a file and return its module; a file runs once. Raises what Python raises for one that is no Python."""
        if path in self._failures:
            raise self._failures[path]
        if path not in self._modules:
            parts = PurePosixPath(path).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1] or parts
            importable = path.endswith(".py") and all(part.isidentifier() for part in parts)
            importable = importable and parts[0] not in LIBRARIES
            name = ".".join(parts) if importable else "_submission_" + re.sub(r"\W", "_", path)
            parent = name.rpartition(".")[0]
            if parent:
                # As Python does: a package comes before what is in it, and may run it on the way. One that is no
                # Python does not take its modules along.
                with contextlib.suppress(Exception):
                    importlib.import_module(parent)
            if path not in self._modules:
                self._run_as(path, name)
        return self._modules[path]

    def _run_or_tell(self, path: str) -> types.ModuleType:
        """Run a file; raises `Unavailable` where Python refuses it as a whole."""
        try:
            return self.module(path)
        except NOT_PYTHON as error:
            raise Unavailable("broken", [path], _syntax_error(error)) from None

    def _run_as(self, path: str, name: str) -> None:
        module = types.ModuleType(name)
        module.__package__ = name.rpartition(".")[0]
        if path.endswith("__init__.py"):
            module.__package__ = name
            module.__path__ = [f"{_PREFIX}/{PurePosixPath(path).parent}"]
        sys.modules[name] = module
        try:
            self._execute(path, module)
        except BaseException:
            sys.modules.pop(name, None)
            raise

    def _execute(self, path: str, module: types.ModuleType) -> None:
        """Run a file in the namespace of a module."""
        namespace = vars(module)
        self._modules[path] = module
        module.__file__ = f"{ROOT}/{path}"
        module.__loader__ = self
        namespace["__builtins__"] = self._importer.names
        arguments, sys.argv = sys.argv, [module.__file__]
        try:
            program = self._programs.get(path) or Program.of_file(path, self.files[path])
            self._programs[path] = program
            self._remember_lines(path)
            if program.is_notebook:
                namespace.update(self._names_of_a_kernel(path, namespace))
            failures = program.run(namespace, functools.partial(describe, source=self.source), self._is_too_slow)
        except BaseException as error:
            self._failures[path] = error
            del self._modules[path]
            raise
        finally:
            sys.argv = arguments
        first = [failure for failure in failures if not failure.follows and not failure.error.get("quiet")]
        self._left_out += map(self._told, first)
        self._left_out += [
            {**(self.source(file) or {}), **self._syntax_errors[file]}
            for file, (notebook, _cell) in self._cells.items()
            if notebook == path and file in self._syntax_errors
        ]
        namespace.update(self._replaced)

    def _is_too_slow(self, statement: Statement) -> bool:
        if not self._too_slow:
            return False
        place = self.source(statement.file) or {}
        return (place.get("file"), place.get("cell"), statement.node.lineno) in self._too_slow

    def _told(self, failure: Failure) -> dict[str, Any]:
        place = self.source(failure.statement.file) or {}
        told = {**failure.error, **place, "names": sorted(failure.statement.binds)[:_MAX_NAMES]}
        if "message" in told:
            told["message"] = told["message"][:_MAX_REASON]
        return told

    def _names_of_a_kernel(self, path: str, namespace: dict[str, Any]) -> dict[str, Any]:
        def run_file(name: str) -> None:
            folder = PurePosixPath(path).parent
            places = [str(folder / f"{name}{suffix}") for suffix in ("", ".py", ".ipynb")]
            found = next((place for place in places if place in self.files), None)
            if found is None:
                raise FileNotFoundError(errno.ENOENT, "%run found no such file", name)
            names = vars(self.module(found))
            namespace.update({name: value for name, value in names.items() if not name.startswith("__")})

        return {RUN_FILE: run_file, "display": print, "get_ipython": lambda: None}

    def _remember_lines(self, path: str) -> None:
        """Let tracebacks and `inspect` find the source."""
        cells = {file: cell.source for file, (notebook, cell) in self._cells.items() if notebook == path}
        if not cells:
            data = self.files[path]
            with contextlib.suppress(SyntaxError, UnicodeError, LookupError):
                encoding, _lines = tokenize.detect_encoding(io.BytesIO(data).readline)
                text = data.decode(encoding)
                cells = {path: text, f"{ROOT}/{path}": text}
        for file, text in cells.items():
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)

    def _binding_at_run_time(self) -> list[str]:
        """Return the files that may bind names which none of their statements names."""
        return [path for path in self._programs if _BINDS_AT_RUN_TIME.search(self.files[path])]

    def _is_stub(self, value: object) -> bool:
        code = getattr(value, "__code__", None)
        return isinstance(code, types.CodeType) and (code.co_filename, code.co_firstlineno) in self._stubs

    # The import system's side: find_spec, create_module, exec_module.

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a file or folder of the submission by module name."""
        leaf = fullname.rpartition(".")[2]
        if path is None:
            if fullname in LIBRARIES:
                return None
            folders: Iterable[str] = self._folders
        else:
            folders = [entry[len(_PREFIX) + 1 :] for entry in path if entry.startswith(_PREFIX)]
            folders = ["" if folder == "." else folder for folder in folders]
        for folder in sorted(folders, key=lambda name: (name.count("/"), name)):
            stem = f"{folder}/{leaf}" if folder else leaf
            for file in (f"{stem}/__init__.py", f"{stem}.py"):
                if file in self.files:
                    package = file.endswith("__init__.py")
                    spec = importlib.machinery.ModuleSpec(fullname, self, origin=file, is_package=package)
                    if package:
                        spec.submodule_search_locations = [f"{_PREFIX}/{stem}"]
                    return spec
            if stem in self._folders:
                spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
                spec.submodule_search_locations = [f"{_PREFIX}/{stem}"]
                return spec
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        """Return the module if its file has been run (or is running) under another name."""
        return self._modules.get(str(spec.origin))

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module's file unless that has happened."""
        origin = str(module.__spec__.origin) if module.__spec__ else ""
        if origin not in self._modules:
            self._execute(origin, module)

    def _scan(self) -> dict[str, list[_Candidate]]:
        found: dict[str, list[_Candidate]] = {}
        for path, source in self.files.items():
            if path.endswith(".ipynb"):
                bindings = self._bindings_of_notebook(path, source)
            elif path.endswith(".py"):
                bindings = self._bindings(path, source)
            else:
                continue
            for name, candidate in bindings.items():
                found.setdefault(name, []).append(candidate)
        return found

    def _bindings(self, path: str, source: bytes) -> dict[str, _Candidate]:
        try:
            program = Program.of_file(path, source)
        except NOT_PYTHON as error:
            return self._broken(path, path, source.decode("latin-1"), error)
        self._programs[path] = program
        bindings: dict[str, _Candidate] = {}
        imported: set[str] = set()
        for name, node in module_level(statement.node for statement in program.statements):
            if isinstance(node, ast.alias):
                imported.add(name)
            found = self._candidate(path, name, node, imported)
            if found:
                bindings[name] = found
                if found.kind == "stub":
                    self._stubs.add((path, node.lineno))  # type: ignore[attr-defined]
        return bindings

    def _bindings_of_notebook(self, path: str, source: bytes) -> dict[str, _Candidate]:
        """Return what a notebook's cells bind; the last definition counts, unless it is still the stub or broken."""
        try:
            program, cells, broken = Program.of_notebook(path, source)
        except NotANotebook:
            return {}  # refused before it came here
        self._programs[path] = program
        self._cells.update({file: (path, cell) for file, cell in cells.items()})
        bindings: dict[str, _Candidate] = {}
        for file, error in broken.items():
            for name, candidate in self._broken(path, file, cells[file].source, error).items():
                bindings.setdefault(name, candidate)
        answered = set()
        imported: set[str] = set()
        for statement in program.statements:
            for name, node in module_level([statement.node]):
                if isinstance(node, ast.alias):
                    imported.add(name)
                found = self._candidate(path, name, node, imported)
                if found and found.kind == "stub":
                    statement.is_stub = True
                    if name not in answered:
                        bindings[name] = found
                        self._stubs.add((statement.file, node.lineno))  # type: ignore[attr-defined]
                elif found:
                    bindings[name] = found
                    answered.add(name)
        program.drop_stubs(answered)
        return bindings

    def _broken(self, path: str, file: str, text: str, error: BaseException) -> dict[str, _Candidate]:
        """Return a candidate for each wanted name that a text which cannot be parsed seems to define."""
        names = {a or b for a, b in _DEFINITION.findall(text)} & self._wanted
        self._syntax_errors[file] = _syntax_error(error)
        if file in self._cells:
            self._syntax_errors[file]["cell"] = self._cells[file][1].number
        return {name: _Candidate(path, "broken", file) for name in names}

    def _candidate(self, path: str, name: str, node: ast.AST, imported: Set[str]) -> _Candidate | None:
        is_text = name in self._texts and isinstance(node, ast.Constant) and str(node.value).strip() != ""
        if name not in self._wanted or (isinstance(node, ast.Constant) and not is_text):
            return None
        if isinstance(node, ast.alias) or (isinstance(node, ast.Attribute) and _root(node) in imported):
            return _Candidate(path, "import")
        if _is_stub(node):
            return _Candidate(path, "stub")
        return _Candidate(path, "definition", _text(node))


def _syntax_error(error: BaseException) -> dict[str, Any]:
    """Return type, message and line of an error in a source that is no Python."""
    message = getattr(error, "msg", None) or str(error)
    return {"type": type(error).__name__, "message": message, "line": getattr(error, "lineno", None)}


def _root(node: ast.expr) -> str:
    """Return the name that an attribute is looked up in, at its very beginning; empty when it is no name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_virtual(module: object) -> bool:
    search = getattr(module, "__path__", None)
    try:
        return any(str(entry).startswith(_PREFIX) for entry in search or ())
    except TypeError:
        return False


def _without_docstring(node: ast.AST) -> list[ast.stmt]:
    body: list[ast.stmt] = list(getattr(node, "body", []))
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        return body[1:]
    return body


def _is_stub(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    if node.decorator_list:
        return False  # a decorator may find the answer elsewhere, as the base of a singledispatch
    match _without_docstring(node):
        case [ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def _text(node: ast.AST) -> str:
    """Return a form in which two copies of a definition are equal whatever their comments and docstring."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        node = copy.copy(node)
        node.body = _without_docstring(node) or [ast.Pass()]
    return ast.dump(node)

"""Find and run a submission's functions, straight from the bytes of its files.

Nothing is written to disk: files of a submission import each other through a finder that knows their bytes. A file
is run only when one of its functions is asked for, or another file imports it. In a notebook only those statements
are run that its answers need.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import importlib.abc
import importlib.machinery
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Protocol

from grader.worker.notebooks import NotANotebook
from grader.worker.statements import NotebookCode, module_level

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

_PREFIX = "<submission>"
_DEFINITION = re.compile(r"^(?:async\s+)?def\s+(\w+)|^(\w+)\s*=", re.MULTILINE)


class Unavailable(Exception):
    """A graded function that cannot be called.

    Attributes
    ----------
    kind
        "missing", "stub", "conflict" (two different definitions) or "broken" (its file cannot be parsed).
    files
        The files concerned.
    error
        For "broken": type, message and line of the error.
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

    def module(self, path: str) -> types.ModuleType:
        """Run a file, unless it has been run, and return its module."""
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
        Relative POSIX path of each file, and its bytes; only `.py` files are taken for Python.
    functions
        The graded names to look for.
    texts
        Names of the strings that are graded like functions, and the file that may hold each of them instead.
    """

    def __init__(
        self, files: Mapping[str, bytes], functions: Iterable[str], texts: Mapping[str, str] | None = None
    ) -> None:
        self.files = dict(sorted(files.items(), key=lambda item: (item[0].count("/"), item[0])))
        self._texts = dict(texts or {})
        self._wanted = frozenset(functions) | self._texts.keys()
        self._folders = {""} | {
            "" if str(parent) == "." else str(parent) for path in files for parent in PurePosixPath(path).parents
        }
        self._modules: dict[str, types.ModuleType] = {}
        self._failures: dict[str, BaseException] = {}
        self._replaced: dict[str, Callable[..., Any]] = {}
        self._syntax_errors: dict[str, dict[str, Any]] = {}
        self._notebooks: dict[str, NotebookCode] = {}
        self._candidates = self._scan()
        # Modules of this process that have the name of a submitted file step aside until `close`.
        names = {part for path in files for part in PurePosixPath(path).with_suffix("").parts} - LIBRARIES
        self._set_aside = {name: sys.modules.pop(name) for name in names if name in sys.modules}
        sys.meta_path.insert(0, self)

    def close(self) -> None:
        """Forget the submission's modules."""
        sys.meta_path.remove(self)
        for name, module in list(sys.modules.items()):
            if any(module is own for own in self._modules.values()) or _is_virtual(module):
                del sys.modules[name]
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
        for path in set(self.origins().values()):
            if path in self._notebooks:
                trees: list[ast.AST] = [statement.node for statement in self._notebooks[path].statements]
            else:
                trees = [ast.parse(self.files[path])]
            for node in (node for tree in trees for node in ast.walk(tree)):
                if isinstance(node, ast.Import):
                    found.update(alias.name.partition(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module.partition(".")[0])
        return sorted(found)

    def function(self, name: str) -> Callable[..., Any]:
        """Return a graded function, running its file first if need be; raises what the file raises."""
        if name in self._replaced:
            return self._replaced[name]
        origin = self.origin(name)
        value = getattr(self.module(origin), name, None)
        if not callable(value) and origin in self._notebooks:
            self._notebooks[origin].raise_failure(name)
        if not callable(value):
            raise Unavailable("missing", [origin])
        return value  # type: ignore[no-any-return]

    def source(self, filename: str) -> dict[str, Any] | None:
        """Return the file, and the number of the cell in a notebook, that running code is from."""
        if filename in self.files:
            return {"file": filename}
        for path, code in self._notebooks.items():
            if filename in code.cells:
                return {"file": path, "cell": code.cells[filename]}
        return None

    def text_file(self, name: str) -> str | None:
        """Return the graded text that stands in a file of its own, the one in `outputs/` if there are several."""
        found = [path for path in self.files if PurePosixPath(path).name == self._texts[name]]
        found.sort(key=lambda path: PurePosixPath(path).parent.name != "outputs")
        texts = (self.files[path].decode("utf-8-sig", "replace") for path in found)
        return next(filter(str.strip, texts), None)

    def text_string(self, name: str) -> str | None:
        """Return the first string of a graded text's name that is not blank; raises what its file raises."""
        for candidate in sorted(self._candidates.get(name, []), key=lambda found: found.kind == "broken"):
            if candidate.kind == "broken":
                raise Unavailable("broken", [candidate.file], self._syntax_errors[candidate.text])
            text = getattr(self.module(candidate.file), name, None)
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
        """Run a file and return its module; a file runs once."""
        if path in self._failures:
            raise self._failures[path]
        if path not in self._modules:
            parts = PurePosixPath(path).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1] or parts
            importable = path.endswith(".py") and all(part.isidentifier() for part in parts)
            importable = importable and parts[0] not in LIBRARIES
            name = ".".join(parts) if importable else "_submission_" + re.sub(r"\W", "_", path)
            try:
                parent = name.rpartition(".")[0]
                if parent:
                    # As Python does: a package comes before what is in it, and may run it on the way.
                    importlib.import_module(parent)
                if path not in self._modules:
                    self._run(path, name)
            except BaseException as error:
                self._failures[path] = error
                raise
        return self._modules[path]

    def _run(self, path: str, name: str) -> types.ModuleType:
        module = types.ModuleType(name)
        module.__file__ = path
        module.__package__ = name.rpartition(".")[0]
        module.__loader__ = self
        if path.endswith("__init__.py"):
            module.__package__ = name
            module.__path__ = [f"{_PREFIX}/{PurePosixPath(path).parent}"]
        self._modules[path] = sys.modules[name] = module
        try:
            if path in self._notebooks:
                self._notebooks[path].run(vars(module))
            else:
                exec(compile(self.files[path], path, "exec", dont_inherit=True), vars(module))  # noqa: S102
        except BaseException:
            del self._modules[path]
            sys.modules.pop(name, None)
            raise
        vars(module).update(self._replaced)
        return module

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
        if origin in self._modules:
            return
        module.__file__ = origin
        self._modules[origin] = module
        try:
            exec(compile(self.files[origin], origin, "exec", dont_inherit=True), vars(module))  # noqa: S102
        except BaseException:
            del self._modules[origin]
            raise
        vars(module).update(self._replaced)

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
            tree = ast.parse(source, path)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return self._broken(path, path, source.decode("latin-1"), error)
        bindings: dict[str, _Candidate] = {}
        for name, node in module_level(tree.body):
            found = self._candidate(path, name, node)
            if found:
                bindings[name] = found
        return bindings

    def _bindings_of_notebook(self, path: str, source: bytes) -> dict[str, _Candidate]:
        """Return what a notebook's cells bind; the last definition counts, unless it is still the stub or broken."""
        try:
            code = NotebookCode(path, source, self._wanted)
        except NotANotebook:
            return {}  # refused before it came here
        self._notebooks[path] = code
        bindings: dict[str, _Candidate] = {}
        for file, text, error in code.broken:
            for name, candidate in self._broken(path, file, text, error).items():
                bindings.setdefault(name, candidate)
        answered = set()
        for statement in code.statements:
            for name, node in module_level([statement.node]):
                found = self._candidate(path, name, node)
                if found and found.kind == "stub":
                    statement.is_stub = True
                    if name not in answered:
                        bindings[name] = found
                elif found:
                    bindings[name] = found
                    answered.add(name)
        code.drop_stubs(answered)
        return bindings

    def _broken(self, path: str, file: str, text: str, error: BaseException) -> dict[str, _Candidate]:
        """Return a candidate for each wanted name that a text which cannot be parsed seems to define."""
        line = getattr(error, "lineno", None)
        message = getattr(error, "msg", None) or str(error)
        names = {a or b for a, b in _DEFINITION.findall(text)} & self._wanted
        self._syntax_errors[file] = {"type": type(error).__name__, "message": message, "line": line}
        if path in self._notebooks:
            self._syntax_errors[file]["cell"] = self._notebooks[path].cells[file]
        return {name: _Candidate(path, "broken", file) for name in names}

    def _candidate(self, path: str, name: str, node: ast.AST) -> _Candidate | None:
        is_text = name in self._texts and isinstance(node, ast.Constant) and str(node.value).strip() != ""
        if name not in self._wanted or (isinstance(node, ast.Constant) and not is_text):
            return None
        if isinstance(node, ast.alias):
            return _Candidate(path, "import")
        if _is_stub(node):
            return _Candidate(path, "stub")
        return _Candidate(path, "definition", _text(node))


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

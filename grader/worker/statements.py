"""The statements of a notebook, and which of them its answers need.

A notebook is full of code that answers nothing: examples, checks, plots, measurements that take a minute. So only
what the graded functions refer to is run, directly or through others, and a statement that fails loses itself and
nothing else. Code that looks names up at run time (`globals()`, `eval`) gets all statements run.
"""

from __future__ import annotations
import __future__

import ast
import dis
import types
from collections.abc import Iterable, Iterator, Set
from typing import Any

from grader.worker.notebooks import read_cells

_LOOKS_NAMES_UP = frozenset(
    {"globals", "locals", "vars", "eval", "exec", "modules", "__dict__", "__import__", "import_module"}
)
_GLOBALS = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_NAMES = frozenset({"STORE_NAME", "DELETE_NAME"})


class Statement:
    """One top-level statement of a cell.

    Attributes
    ----------
    node, code
        Its tree and what it compiles to; no code when it does not compile.
    error
        Why it does not compile, or what it raised when it was run.
    binds, refers
        The names that it binds or changes, and those that it or a function in it looks up.
    is_stub
        Whether it is a graded function that is still the stub.
    """

    def __init__(self, node: ast.stmt, file: str, flags: int) -> None:
        self.node = node
        self.code: types.CodeType | None = None
        self.error: BaseException | None = None
        self.is_stub = False
        self.binds: frozenset[str] = frozenset()
        self.refers: frozenset[str] = frozenset()
        try:
            module = ast.Module([node], [])
            self.code = compile(module, file, "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.error = error
            self.binds = frozenset(name for name, _node in module_level([node]))
        else:
            self.binds = _bound(self.code) | _changed(node)
            self.refers = _looked_up(self.code)


class NotebookCode:
    """The code of one notebook.

    Parameters
    ----------
    path, data
        Name and bytes of the notebook; raises `NotANotebook` when it is not one.
    wanted
        The graded names.

    Attributes
    ----------
    statements
        The statements of all cells that can be parsed, in order.
    broken
        File name, text and error of each cell that cannot.
    cells
        The file names that go with the cells' code: "work.ipynb, code cell 7".
    """

    def __init__(self, path: str, data: bytes, wanted: Iterable[str]) -> None:
        self._wanted = frozenset(wanted)
        self.statements: list[Statement] = []
        self.broken: list[tuple[str, str, BaseException]] = []
        self.cells: dict[str, int] = {}
        flags = 0
        for cell in read_cells(data):
            file = f"{path}, code cell {cell.number}"
            self.cells[file] = cell.number
            try:
                body = cell.parse()
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                self.broken.append((file, cell.source, error))
                continue
            for node in _one_import_each(body):
                # As in a kernel, a future statement holds for all cells that follow.
                flags |= _future_flags(node)
                self.statements.append(Statement(node, file, flags))

    def drop_stubs(self, answered: Set[str]) -> None:
        """Leave out the stubs of functions that another cell answers: a copy left behind must not take its place."""
        self.statements = [
            statement for statement in self.statements if not (statement.is_stub and statement.binds & answered)
        ]

    def run(self, namespace: dict[str, Any]) -> None:
        """Run what the answers need, in order. A statement that raises is noted, and the others go on.

        A notebook may have been run in another order than the one it is saved in. So what lacked a name is tried
        again after the rest, unless a later statement has bound its own names meanwhile.
        """
        bound: set[str] = set()
        waiting = [statement for statement in self._needed() if statement.code is not None]
        while waiting:
            lacking = [statement for statement in waiting if not self._run(statement, namespace, bound)]
            if len(lacking) == len(waiting):
                break
            waiting = [statement for statement in lacking if not statement.binds & bound]

    def _run(self, statement: Statement, namespace: dict[str, Any], bound: set[str]) -> bool:
        """Run a statement; returns whether there is no use in trying it again."""
        assert statement.code is not None
        try:
            exec(statement.code, namespace)  # noqa: S102
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is the student's
            statement.error = error
            return not isinstance(error, NameError)
        statement.error = None
        bound |= statement.binds
        return True

    def raise_failure(self, name: str) -> None:
        """Raise why the last statement that binds a name failed, if one did."""
        for statement in reversed(self.statements):
            if name in statement.binds and statement.error is not None:
                raise statement.error

    def _needed(self) -> list[Statement]:
        """Return the statements that bind or change a graded name, or one that those refer to."""
        binding: dict[str, list[int]] = {}
        for index, statement in enumerate(self.statements):
            for name in statement.binds:
                binding.setdefault(name, []).append(index)
        names: set[str] = set()
        chosen: set[int] = set()
        waiting = [*self._wanted, "*"]
        while waiting:
            name = waiting.pop()
            if name not in names:
                names.add(name)
                new = [index for index in binding.get(name, []) if index not in chosen]
                chosen.update(new)
                waiting += [refers for index in new for refers in self.statements[index].refers]
        if names & _LOOKS_NAMES_UP:
            return self.statements
        return [self.statements[index] for index in sorted(chosen)]


def module_level(body: Iterable[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """Yield each name that module-level code binds, with what it is bound to."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node
            case ast.Assign():
                for target in node.targets:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                            yield name.id, node.value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.AST() as value):
                yield name, value
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name.partition(".")[0], alias
            case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
                for field in ("body", "handlers", "orelse", "finalbody"):
                    for inner in getattr(node, field, []):
                        yield from module_level(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


def _one_import_each(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Split imports, so that one missing library does not take another along."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                fields = {**{name: getattr(node, name) for name in node._fields}, "names": [alias]}
                yield ast.copy_location(type(node)(**fields), node)
        else:
            yield node


def _future_flags(node: ast.stmt) -> int:
    if not isinstance(node, ast.ImportFrom) or node.module != "__future__":
        return 0
    features = (getattr(__future__, alias.name, None) for alias in node.names)
    return sum(feature.compiler_flag for feature in features if feature is not None)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _bound(code: types.CodeType) -> frozenset[str]:
    names = set()
    for inner in _codes(code):
        for instruction in dis.get_instructions(inner):
            # In the body of a class, a "name" is an attribute of the class.
            kinds = _GLOBALS | _NAMES if inner is code else _GLOBALS
            if instruction.opname in kinds:
                names.add(instruction.argval)
            elif "IMPORT_STAR" in (instruction.opname + instruction.argrepr):
                names.add("*")
    return frozenset(names)


def _looked_up(code: types.CodeType) -> frozenset[str]:
    """Return the names that some code looks up outside itself; attributes are among them, which does no harm."""
    return frozenset(name for inner in _codes(code) for name in inner.co_names)


def _changed(node: ast.stmt) -> frozenset[str]:
    """Return the names whose values a statement changes in place: `table["a"] = f`, `table.update(a=f)`."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            changed: list[ast.AST] = [*targets]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            changed = [target]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value))):
            changed = [value]
        case _:
            changed = []
    return frozenset(root for target in changed for root in _roots(target))


def _roots(target: ast.AST) -> Iterator[str]:
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        target = target.value
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _roots(element)

"""The statements of a file or notebook, run one by one.

What counts is what running the whole file from top to bottom would leave, except that a statement that cannot run
loses itself and nothing else. It cannot run when it raises, whatever it raises, or takes too long. The names that it
would have bound are then unbound: no older definition stands in for one that failed.
"""

from __future__ import annotations
import __future__

import ast
import types
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from grader.worker.deadlines import Late, deadline
from grader.worker.notebooks import Cell, read_cells

# Of one statement, of the processor's time.
STATEMENT_SECONDS = 2.0
# Of all statements of a file; after that loops are left out, and each other one has only the last, in which definitions
# still run.
FILE_SECONDS = 4.0
LAST_SECONDS = 0.1
# How much longer it may take by the clock: a machine has other things to do, and a statement may wait.
WAITING_FACTOR = 2.0

_LOOPS = (ast.For, ast.While)

# Turns an error into data.
Describe = Callable[[BaseException], dict[str, Any]]

# What a source that is no Python can raise when it is parsed or compiled.
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass
class Failure:
    """Why a statement could not run.

    Attributes
    ----------
    error
        What it raised, as data; see `describe`. For one that took too long: its limit, under "seconds".
    lacks_a_name, follows
        Whether it lacks a name, and whether another statement that could not run would have bound that.
    """

    statement: Statement
    error: dict[str, Any]
    lacks_a_name: bool = False
    follows: bool = False


@dataclass
class Statement:
    """One top-level statement.

    Attributes
    ----------
    file
        What its code names as its file.
    flags
        Of the compiler: the future statements in force.
    is_stub
        Whether it is a graded function that is still the stub.
    """

    node: ast.stmt
    file: str
    flags: int
    is_stub: bool = False
    code: types.CodeType | None = None

    def compile(self) -> types.CodeType:
        """Return the code; raises one of `NOT_PYTHON` where Python refuses what it can parse."""
        if self.code is None:
            module = ast.Module([self.node], [])
            self.code = compile(module, self.file, "exec", self.flags, dont_inherit=True)
        return self.code

    @property
    def binds(self) -> frozenset[str]:
        """The names that it binds."""
        return frozenset(_bound(self.node))


class Program:
    """The statements of one file or notebook.

    Attributes
    ----------
    statements
        In order; of a notebook those of all cells that can be parsed.
    is_notebook
        Whether each cell stands for itself and may have been run in another order than the one it is saved in.
    lost
        The names that are not there, and why: what would have bound them could not run.
    """

    def __init__(self, statements: Iterable[Statement], *, is_notebook: bool) -> None:
        self.statements = list(statements)
        self.is_notebook = is_notebook
        self.lost: dict[str, Failure] = {}

    @classmethod
    def of_file(cls, path: str, source: bytes) -> Program:
        """Parse a file; raises one of `NOT_PYTHON`."""
        body = ast.parse(source, path).body
        flags = 0
        statements = []
        for node in _one_import_each(_without_texts(body)):
            flags |= _future_flags(node)
            statements.append(Statement(node, path, flags))
        return cls(statements, is_notebook=False)

    @classmethod
    def of_notebook(cls, path: str, data: bytes) -> tuple[Program, dict[str, Cell], dict[str, Exception]]:
        """Parse a notebook.

        Returns
        -------
        program, cells, broken
            Each cell, and the error of each that cannot be parsed, by the name that its code has for its file, such as
            "work.ipynb, code cell 7".

        Raises
        ------
        NotANotebook
            When it is none.
        """
        statements: list[Statement] = []
        cells: dict[str, Cell] = {}
        broken: dict[str, Exception] = {}
        flags = 0
        for cell in read_cells(data):
            file = f"{path}, code cell {cell.number}"
            cells[file] = cell
            try:
                body = cell.parse()
            except NOT_PYTHON as error:
                broken[file] = error
                continue
            for node in _one_import_each(_without_texts(body)):
                # As in a kernel, a future statement holds for all cells that follow.
                flags |= _future_flags(node)
                statements.append(Statement(node, file, flags))
        return cls(statements, is_notebook=True), cells, broken

    def drop_stubs(self, answered: Set[str]) -> None:
        """Leave out the stubs of functions that another cell answers: a copy left behind must not take its place."""
        self.statements = [
            statement for statement in self.statements if not (statement.is_stub and statement.binds & answered)
        ]

    def run(
        self, namespace: dict[str, Any], describe: Describe, is_too_slow: Callable[[Statement], bool]
    ) -> list[Failure]:
        """Run all statements and return those that could not run.

        Parameters
        ----------
        describe
            Turns an error into data at once, as it would keep alive what its traceback refers to.
        is_too_slow
            Whether a statement is known to take too long.

        Raises
        ------
        Exception
            One of `NOT_PYTHON` before anything is run, when a file does not compile.
        """
        if not self.is_notebook:
            for statement in self.statements:
                statement.compile()
        self.lost.clear()
        runner = _Runner(namespace, describe, is_too_slow)
        failures = self._run_all(self.statements, runner)
        # What lacked a name is tried again after the rest, unless a later cell has bound its own names meanwhile.
        waiting = [failure for failure in failures if failure.lacks_a_name] if self.is_notebook else []
        while waiting:
            again = [failure for failure in waiting if not any(name in namespace for name in failure.statement.binds)]
            failed = self._run_all([failure.statement for failure in again], runner)
            done = [failure for failure in again if all(each.statement is not failure.statement for each in failed)]
            if not done:
                break
            failures = [failure for failure in failures if failure not in done]
            waiting = [failure for failure in failed if failure.lacks_a_name]
        return failures

    def _run_all(self, statements: Iterable[Statement], runner: _Runner) -> list[Failure]:
        failures = []
        for statement in statements:
            failure = runner.run(statement)
            if failure is None:
                if self.lost:
                    for name in self.lost.keys() & statement.binds:
                        del self.lost[name]
                continue
            failures.append(failure)
            failure.follows = failure.error.get("name") in self.lost
            for name in statement.binds:
                runner.namespace.pop(name, None)
                self.lost[name] = failure
        return failures


class _Runner:
    """Runs the statements of one file within its time."""

    def __init__(self, namespace: dict[str, Any], describe: Describe, is_too_slow: Callable[[Statement], bool]) -> None:
        self.namespace = namespace
        self._describe = describe
        self._is_too_slow = is_too_slow
        self._seconds_left = FILE_SECONDS

    def run(self, statement: Statement) -> Failure | None:
        """Run a statement and return why it could not run, if it could not."""
        seconds = STATEMENT_SECONDS if self._seconds_left > 0 else LAST_SECONDS
        limit = code = None
        try:
            if self._is_too_slow(statement):
                return _too_slow(statement, STATEMENT_SECONDS)
            if self._seconds_left <= 0 and isinstance(statement.node, _LOOPS):
                return _too_slow(statement, FILE_SECONDS)
            code = statement.compile()
            with deadline(seconds * WAITING_FACTOR, seconds) as limit:
                exec(code, self.namespace)  # noqa: S102
        except KeyboardInterrupt:
            raise
        except Late as late:
            if late.deadline is not limit:
                raise
            return _too_slow(statement, seconds)
        except BaseException as error:  # noqa: BLE001 - the code is the student's, and SystemExit is theirs too
            place = {"file": statement.file, "line": _line_of(error, code, statement)}
            return Failure(statement, {**self._describe(error), **place}, isinstance(error, NameError))
        finally:
            if limit is not None:
                self._seconds_left -= max(limit.used, limit.passed_seconds / WAITING_FACTOR)
        return None


def _too_slow(statement: Statement, seconds: float) -> Failure:
    return Failure(statement, {"seconds": seconds, "file": statement.file, "line": statement.node.lineno})


def _line_of(error: BaseException, code: types.CodeType | None, statement: Statement) -> int:
    """Return the line of the statement that raised; of a source that does not compile the one that is at fault."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is code:
            return trace.tb_lineno
        trace = trace.tb_next
    line = error.lineno if isinstance(error, SyntaxError) else None
    return line or statement.node.lineno


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


def _without_texts(body: list[ast.stmt]) -> list[ast.stmt]:
    """Leave out bare strings but the first statement: each would become the docstring."""
    return [
        node
        for index, node in enumerate(body)
        if not (index and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


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


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds in its module."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
            return
        case ast.AnnAssign(value=None) | ast.Lambda():
            return
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)

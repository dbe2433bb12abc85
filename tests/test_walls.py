"""The walls of the house, as CONTRIBUTING.md describes them: what may import what."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

import pytest

from lesson.course import load_course

ROOT = Path(__file__).parents[1]
OURS = ("grader", "lesson", "solutions")
STANDARD_LIBRARY = sys.stdlib_module_names

# The rooms from the lowest up. A module may import its own room and those of lower rows; rooms of one row know nothing
# of each other. `grader` itself, its `__init__.py`, is empty and below everything.
ROWS = (
    ("lesson",),
    ("solutions",),
    ("solutions.planner",),
    ("grader.messages", "grader.students_edition", "grader.worker"),
    ("grader.tree", "grader.results"),
    ("grader.files",),
    ("grader.cases", "grader.isolation", "grader.words"),
    ("grader.student",),
    ("grader.checks", "grader.formats"),
    ("grader.grading",),
    ("grader.classroom", "grader.desk", "grader.page"),
    ("grader.author", "grader.notebook"),
    ("grader.commands",),
    ("grader.__main__",),
)
HEIGHTS = {room: height for height, row in enumerate(ROWS) for room in row}

# Where `grader check` begins, and so the page in the browser, which has no PyTorch to measure with.
BROWSER_ENTRANCES = ("grader.checks", "grader.desk", "grader.worker")
NOT_IN_THE_BROWSER = {"grader.worker.torch_probes"}
# The worker's end of the wire, and the trial that a sealed process can open no socket.
SOCKETS_OUTSIDE_ISOLATION = {"grader.worker.wire", "grader.worker.serve", "grader.worker.sealing"}
# The first runs `grader run` itself, on Gradescope's machine; the second builds the page, with npm and pip.
PROCESSES_OUTSIDE_ISOLATION = {"grader.formats.gradescope_export", "grader.page.build"}
# The rooms of the grader that are about this one course; the last is the planner's group of commands.
ABOUT_THE_COURSE = (
    "grader.checks",
    "grader.cases.drawing",
    "grader.author",
    "grader.worker.probes",
    "grader.worker.torch_probes",
    "grader.commands.policy",
)
# The command line adds that group.
NAMED_BY_THE_ENGINE = {"grader.commands.main": {"policy"}}
COURSE = load_course()
GRADED_NAMES = {*COURSE.functions, *COURSE.texts}
# A shorter id could be any word.
COURSE_NAMES = GRADED_NAMES | {each.id for each in (*COURSE.topics, *COURSE.exercises) if len(each.id) >= 6}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for package in OURS for path in sorted((ROOT / package).rglob("*.py"))}


def imports_of(source: str, name: str = "", *, is_package: bool = False) -> set[str]:
    """Return every module that a source imports, in functions too; not what only a type checker reads."""
    package = name if is_package else name.rpartition(".")[0]
    return {found for node in _run_nodes(ast.parse(source)) for found in _imported(node, package)}


def _run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for other in child.orelse:
                yield from _run_nodes(other)
        else:
            yield from _run_nodes(child)


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
            base = ".".join([*above, *([module] if module else [])])
            yield base
            # `from package import module` imports the module; a name that is not one does no harm here.
            yield from (f"{base}.{alias.name}" for alias in names if f"{base}.{alias.name}" in FILES)


IMPORTS = {
    name: imports_of(path.read_text(encoding="utf-8"), name, is_package=path.name == "__init__.py")
    for name, path in FILES.items()
}


def within(name: str, packages: Iterable[str]) -> bool:
    """Whether a module is one of these packages or in one of them."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def breaches(importers: Iterable[str], forbidden: Iterable[str]) -> list[str]:
    forbidden = tuple(forbidden)
    found = [(name, target) for name in importers for target in sorted(IMPORTS[name]) if within(target, forbidden)]
    return [f"{name} imports {target}" for name, target in found]


def modules_of(*packages: str) -> list[str]:
    return [name for name in FILES if within(name, packages)]


def reachable(entrances: Iterable[str]) -> dict[str, str]:
    """Return every module of the project that is run when these are imported, and which one imported it."""
    found: dict[str, str] = {}
    waiting = [(name, "a person") for name in entrances]
    while waiting:
        name, importer = waiting.pop()
        if name in found or name not in FILES:
            continue
        found[name] = importer
        parents = [name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1)]
        waiting += [(target, name) for target in (*parents, *IMPORTS[name])]
    return found


def room_of(name: str) -> str:
    """Return the room of a module: the longest name of a room that it is in; empty if it is in none."""
    return max((room for room in HEIGHTS if within(name, [room])), key=len, default="")


def arrows_upwards(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the imports that lead out of a room and not down."""
    return [
        f"{name} imports {target}"
        for name, targets in imports.items()
        for target in sorted(targets)
        if room_of(target) and room_of(name) != room_of(target) and HEIGHTS[room_of(name)] <= HEIGHTS[room_of(target)]
    ]


def circles(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a way back to its beginning for every module that imports itself by way of others; empty if none does."""
    finished: set[str] = set()
    found = []

    def visit(name: str, way: tuple[str, ...]) -> None:
        if name in way:
            found.append(" imports ".join((*way[way.index(name) :], name)))
        elif name not in finished:
            for target in sorted(imports.get(name, ())):
                if target != name:
                    visit(target, (*way, name))
            finished.add(name)

    for name in imports:
        visit(name, ())
    return found


def test_every_file_has_a_room_and_every_room_a_file() -> None:
    assert [name for name in FILES if not room_of(name)] == ["grader"]
    assert {room_of(name) for name in FILES if name != "grader"} == set(HEIGHTS)


def test_contributing_names_every_room_in_order_and_every_module_in_it() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.partition("| where | what | limits |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `([\w/.]+)` \| (.*) \|.*\|$", table, re.MULTILINE))
    rooms = [place.removesuffix("/").removesuffix(".py").replace("/", ".") for place in rows]
    assert set(rooms) == set(HEIGHTS)
    assert rooms == sorted(rooms, key=HEIGHTS.__getitem__)
    unnamed = []
    for name in FILES:
        room = room_of(name)
        if name not in ("grader", room) and not within(name, ["grader.cases.drawing"]):
            told = re.findall(r"`([\w*]+)(?:\.py)?`", rows[f"{room.replace('.', '/')}/"])
            if not any(fnmatch(name.rpartition(".")[2], each) for each in told):
                unnamed.append(name)
    assert unnamed == []


def test_no_arrow_leads_upwards() -> None:
    assert arrows_upwards(IMPORTS) == []


def test_no_import_comes_back_to_where_it_began() -> None:
    assert circles(IMPORTS) == []


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("grader.formats.html", "grader.classroom.store"),  # upwards
        ("grader.desk.checking", "grader.classroom.run"),  # beside
        ("solutions.policy", "solutions.planner.plan"),  # into a room inside
        ("lesson.course", "grader.messages"),
    ],
)
def test_an_arrow_that_does_not_lead_down_is_seen(name: str, target: str) -> None:
    assert arrows_upwards({name: [target]}) == [f"{name} imports {target}"]


def test_a_circle_is_seen() -> None:
    assert circles({"a": ["b", "d"], "b": ["c"], "c": ["a"], "d": ["b"]}) == ["a imports b imports c imports a"]
    assert circles({"a": ["b", "c"], "b": ["c"], "c": []}) == []


def test_checks_know_neither_the_solutions_nor_where_code_runs() -> None:
    assert breaches(modules_of("grader.checks"), ["solutions", "grader.isolation"]) == []


def test_solutions_use_only_what_students_are_given_too() -> None:
    assert breaches(modules_of("solutions"), ["grader"]) == []
    used = {target for name in modules_of("solutions") for target in IMPORTS[name] if within(target, ["lesson"])}
    assert used <= {"lesson.policy_cost", "lesson.policy_form", "lesson.decoder", "lesson.torch_report"}


def test_the_lesson_knows_neither_grader_nor_solutions() -> None:
    assert breaches(modules_of("lesson"), ["grader", "solutions"]) == []


def test_only_fresh_cases_authors_and_the_planner_import_the_solutions() -> None:
    allowed = ["grader.cases.fresh", "grader.author", "grader.commands.policy"]
    others = [name for name in modules_of("grader") if not within(name, allowed)]
    assert breaches(others, ["solutions"]) == []


def test_what_runs_beside_student_code_is_the_worker_alone() -> None:
    outside = [
        f"{name} imports {target}"
        for name in modules_of("grader.worker")
        for target in sorted(IMPORTS[name])
        if not within(target, [*STANDARD_LIBRARY, "numpy", "grader.worker"])
        # What students are given for the exercise in PyTorch, and what measures it.
        and not (
            name == "grader.worker.torch_probes" and within(target, ["torch", "lesson.decoder", "lesson.torch_meter"])
        )
    ]
    assert outside == []
    assert IMPORTS["grader"] == set()  # is run in the worker too


def test_only_what_is_about_pytorch_imports_it() -> None:
    importers = {line.split()[0] for line in breaches(FILES, ["torch"])}
    about = {name for name in FILES if name.rpartition(".")[2].startswith(("torch_", "decoder"))}
    assert importers <= about - {"grader.cases.drawing.decoder"}
    # The trusted side never imports it, however many submissions use it.
    trusted = [name for name in modules_of("grader") if name != "grader.worker.torch_probes"]
    assert breaches(trusted, sorted(importers)) == []


def test_the_part_for_the_browser_needs_only_numpy_and_pytest() -> None:
    entrances = [name for name in modules_of(*BROWSER_ENTRANCES) if name not in NOT_IN_THE_BROWSER]
    assert len(entrances) > 20
    part = reachable(entrances)
    allowed = [*STANDARD_LIBRARY, "numpy", "pytest", *part]
    outside = [
        f"{name} (imported by {importer}) imports {target}"
        for name, importer in part.items()
        for target in sorted(IMPORTS[name])
        if not within(target, allowed)
    ]
    assert outside == []
    strangers = ["solutions", "grader.isolation", "grader.commands", "grader.author", "grader.classroom"]
    unwanted = [name for name in part if within(name, strangers)]
    assert unwanted == []


def test_checking_brings_in_nothing_else_when_it_runs() -> None:
    program = (
        "import json, sys\n"
        "from grader.desk.checking import Checker\n"
        "from lesson.course import load_course\n"
        "Checker(load_course())\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True, timeout=60, cwd=ROOT
    )
    loaded = set(ast.literal_eval(done.stdout))
    assert loaded.isdisjoint({"solutions", "rich", "typer", "jinja2", "babel", "distributed", "torch"})


def test_processes_and_sockets_belong_to_isolation() -> None:
    others = [name for name in FILES if not within(name, ["grader.isolation"])]
    sockets = {line.split()[0] for line in breaches(others, ["socket"])}
    assert sockets <= SOCKETS_OUTSIDE_ISOLATION
    processes = {line.split()[0] for line in breaches(others, ["subprocess", "pty", "asyncio"])}
    assert processes <= PROCESSES_OUTSIDE_ISOLATION


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import a.b", {"a.b"}),
        ("from a import b", {"a"}),
        ("from . import run", {"grader.classroom", "grader.classroom.run"}),
        ("from ..worker import wire", {"grader.worker", "grader.worker.wire"}),
        ("def later():\n    import a", {"a"}),
        ("if TYPE_CHECKING:\n    import a\nelse:\n    import b", {"b"}),
        ("try:\n    import a\nexcept ImportError:\n    a = None", {"a"}),
    ],
)
def test_no_way_of_importing_goes_unseen(source: str, found: set[str]) -> None:
    assert imports_of(source, "grader.classroom.room") == found


def course_names_in(source: str) -> set[str]:
    """Return the names of this course that stand in a source as identifiers or in strings, docstrings apart."""
    found: set[str] = set()
    tree = ast.parse(source)
    docstrings = {id(node.body[0].value) for node in ast.walk(tree) if _has_docstring(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and id(node) not in docstrings:
                # In a sentence, a word such as "policy" is only a word.
                found |= _words(node.value) & (GRADED_NAMES if " " in node.value else COURSE_NAMES)
        else:
            values = [value for _field, value in ast.iter_fields(node) if isinstance(value, str)]
            found |= {name for value in values for name in value.split(".")} & COURSE_NAMES
    return found


def _has_docstring(node: ast.AST) -> bool:
    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    return isinstance(node, documented) and ast.get_docstring(node) is not None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def test_the_engine_knows_no_name_of_this_course() -> None:
    engine = [name for name in modules_of("grader") if not within(name, ABOUT_THE_COURSE)]
    found = {name: course_names_in(FILES[name].read_text(encoding="utf-8")) for name in engine}
    assert {name: names for name, names in found.items() if names} == NAMED_BY_THE_ENGINE


def test_what_the_engine_writes_from_knows_no_name_of_this_course() -> None:
    forms = [path for path in (ROOT / "grader" / "formats").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    found = {
        path.name: _words(path.read_text(encoding="utf-8")) & COURSE_NAMES for path in forms if path.suffix != ".py"
    }
    assert len(found) > 5
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        "relu = 1",
        "student.relu",
        "student.call('relu')",
        "f(relu=1)",
        "def f(relu): ...",
        "def relu(): ...",
        "class relu: ...",
        "from solutions.recompute import x",
        "import solutions.recompute",
        "import x as relu",
        "from solutions import recompute",
        "_LEFT_OUT = {'recompute'}",
        "f'recompute.{suffix}'",
        "x = 'solutions/recompute.py'",
        "print('result = relu(x)')",
        "match x:\n    case relu: ...",
        "try: ...\nexcept E as relu: ...",
        "x = 'POLICY_PROMPT'",
    ],
)
def test_no_name_of_the_course_goes_unseen(source: str) -> None:
    assert course_names_in(source)


@pytest.mark.parametrize(
    "source",
    ["x = 'a policy for each layer'", "def f():\n    'Such as `relu`.'", "policies = 1", "x = 'step1'", "# relu"],
)
def test_words_are_not_names(source: str) -> None:
    assert not course_names_in(source)

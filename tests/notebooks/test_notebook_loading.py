"""Answers in notebooks: only code cells count, in order, whatever else has happened to the file."""

import json

import pytest

from grader.checks.explaining import explain
from grader.classroom.submissions import collect
from grader.files import read_submission
from grader.student.handle import Outcome
from grader.student.here import InProcessStudent
from grader.worker import statements
from grader.worker.loading import Loader, Unavailable
from grader.worker.notebooks import NotANotebook, read_cells, to_python

WANTED = ("relu", "linear_forward")
FILES = ("work.ipynb",)


def notebook(*cells, **changes):
    """The bytes of a notebook; a cell is code, or a whole cell as a dict."""
    full = [
        cell
        if isinstance(cell, dict)
        else {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": cell,
        }
        for number, cell in enumerate(cells)
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": full, **changes}).encode()


@pytest.fixture
def load():
    loaders = []

    def load(*cells, **files):
        named = {f"{name}.py": source.encode() for name, source in files.items()}
        loaders.append(Loader({"work.ipynb": notebook(*cells), **named}, WANTED))
        return loaders[-1]

    yield load
    for loader in loaders:
        loader.close()


def answer(load, *cells, **files):
    return load(*cells, **files).function("relu")(1)


def test_cells_are_one_program(load):
    assert answer(load, "one = 1", "def relu(x):\n    return x + one") == 2


@pytest.mark.parametrize(
    "cell",
    [
        {"cell_type": "code", "source": "def relu(x):\n    return x + 1"},
        {"cell_type": "code", "source": ["def relu(x):\n", "    return x + 1"], "id": None},
        {"cell_type": "code", "source": "def relu(x):\r\n    return x + 1\r\n", "metadata": {"deletable": False}},
        {"cell_type": "code", "source": ["def relu(x):\n", 7, "    return x + 1\n"], "metadata": None},
    ],
)
def test_any_shape_of_a_cell_will_do(load, cell):
    assert answer(load, {"cell_type": "markdown", "source": "def relu(x): return 0"}, {}, 3, cell, cell) == 2


@pytest.mark.parametrize(
    "metadata",
    [{}, {"kernelspec": {"name": "julia-1.10", "language": "julia"}}, {"language_info": {"name": "R"}}, None, []],
)
def test_the_kernel_does_not_matter(metadata):
    loader = Loader({"a.ipynb": notebook("def relu(x):\n    return 1", metadata=metadata, nbformat_minor=2)}, WANTED)
    try:
        assert loader.function("relu")(0) == 1
    finally:
        loader.close()


def test_the_last_definition_wins(load):
    assert answer(load, "def relu(x):\n    return 1", "def relu(x):\n    return 2") == 2


def test_a_stub_left_behind_does_not_take_the_answers_place(load):
    stub = "def relu(x):\n    '''Doc.'''\n    ### BEGIN SOLUTION\n    raise NotImplementedError\n    ### END SOLUTION"
    assert answer(load, stub, "def relu(x):\n    return 1", stub) == 1


def test_untouched_stubs_are_not_answers(load):
    with pytest.raises(Unavailable) as caught:
        answer(load, "def relu(x):\n    raise NotImplementedError", "def relu(x):\n    raise NotImplementedError()")
    assert caught.value.kind == "stub"


def test_an_import_after_a_definition_counts_as_python_counts(load):
    assert answer(load, "def relu(x):\n    return 1", "from mine import relu", mine="def relu(x):\n    return 2") == 2


def test_two_different_answers_in_two_files_are_a_conflict(load):
    with pytest.raises(Unavailable) as caught:
        answer(load, "def relu(x):\n    return 1", other="def relu(x):\n    return 2")
    assert caught.value.kind == "conflict"
    assert caught.value.files == ["other.py", "work.ipynb"]


def test_the_same_answer_in_two_files_is_none(load):
    code = "def relu(x):\n    return 1"
    assert answer(load, code, other=code + "  # the same") == 1


def test_a_skeleton_beside_the_notebook_does_no_harm(load):
    assert answer(load, "def relu(x):\n    return 1", recompute="def relu(x):\n    raise NotImplementedError") == 1


@pytest.mark.parametrize(
    "cell",
    [
        "1 / 0",
        "import matplotlib_that_is_not_here.pyplot as plt",
        "from grader.notebook import check, hint\ncheck('step1').points",
        "raise SystemExit",
        "exit()",
        "def (:\n    broken",
        "\tstrange  indentation\n  here",
        "relu(1",
        "await nothing",
        "return 3",
        "\0",
        "\ud800",
    ],
)
def test_a_cell_that_fails_loses_nothing_else(load, cell):
    assert answer(load, cell, "def relu(x):\n    return 1", cell) == 1


def test_a_statement_that_fails_leaves_the_rest_of_its_cell(load):
    cell = (
        "import not_here, math\nfrom nowhere import a, b\ncheck('step1')\ndef relu(x):\n    return math.floor(x + 0.5)"
    )
    assert answer(load, cell) == 1


def test_when_the_answer_itself_fails_that_is_told(load):
    with pytest.raises(Outcome) as caught:
        InProcessStudent(load("x = 1", "\n@not_defined\ndef relu(x):\n    return 1"), FILES).call("relu", 1)
    error = caught.value.error
    assert (error.type, error.file, error.cell, error.line) == ("NameError", "work.ipynb", 2, 2)


def test_an_error_names_the_cell_and_the_line_in_it(load):
    cells = ("# first", {"cell_type": "raw", "source": "x"}, "%matplotlib inline\ndef relu(x):\n    return 1 / 0")
    with pytest.raises(Outcome) as caught:
        InProcessStudent(load(*cells), FILES).call("relu", 1)
    assert "in work.ipynb, code cell 2, line 3" in explain(caught.value, public=True).got


def test_an_answer_in_a_broken_cell_names_the_cell(load):
    with pytest.raises(Unavailable) as caught:
        answer(load, "x = 1", "def relu(x:\n    pass")
    assert (caught.value.kind, caught.value.files, caught.value.error["cell"]) == ("broken", ["work.ipynb"], 2)
    with pytest.raises(Outcome) as told:
        InProcessStudent(load("x = 1", "def relu(x:\n    pass"), FILES).call("relu", 1)
    assert "work.ipynb cannot be read as Python, code cell 2, line 1" in explain(told.value, public=False).got


def test_what_takes_too_long_is_left_out(load, monkeypatch):
    monkeypatch.setattr(statements, "STATEMENT_SECONDS", 0.05)
    monkeypatch.setattr(statements, "LAST_SECONDS", 0.02)
    slow = "while True:\n    pass\nslow = [pow(7, i, 10**9) for i in range(10**12)]"
    loader = load(slow, "k = 1\ndef relu(x, slow=False):\n    return x + k", slow)
    assert loader.function("relu")(1) == 2
    places = [(entry["cell"], entry["line"], "seconds" in entry) for entry in loader.left_out()]
    assert places == [(1, 1, True), (1, 3, True), (3, 1, True), (3, 3, True)]


def test_magics_that_run_python_run_it(load):
    cells = ("%run helpers.py", "%run -i other", "%time two = one + 1", "%%prun\ndef relu(x):\n    return one * two + k")
    assert answer(load, *cells, helpers="one = 1", other="k = 1") == 3


def test_a_file_to_run_that_is_not_there_is_told(load):
    loader = load("%run helpers.py", "def relu(x):\n    return 1")
    assert loader.function("relu")(1) == 1
    assert [(entry["cell"], entry["type"]) for entry in loader.left_out()] == [(1, "FileNotFoundError")]


def test_a_cell_that_cannot_be_read_is_told(load):
    loader = load("x = 1", "def (", "def relu(x):\n    return 1")
    assert loader.function("relu")(1) == 1
    assert [(entry["cell"], entry["line"], entry["type"]) for entry in loader.left_out()] == [(2, 1, "SyntaxError")]


@pytest.mark.parametrize(
    "cells",
    [
        ("table = {}", "table['a'] = 1", "def relu(x):\n    return table['a']"),
        ("table = {}", "table.update(a=1)", "def relu(x):\n    return table['a']"),
        ("a = 0", "a += 1", "def relu(x):\n    return a"),
        ("def f():\n    global a\n    a = 1", "f()\na = 1", "def relu(x):\n    return a"),
        ("def relu(x):\n    return x.a", "class X:\n    a = 1", "g = relu", "def relu(x):\n    return g(X)"),
        ("def helper():\n    return other()", "def other():\n    return 1", "def relu(x):\n    return helper()"),
        ("for a in [3, 2, 1]:\n    pass", "relu = lambda x: a"),
        ("with open_not_here() as a:\n    pass", "a = 1", "relu = lambda x: a"),
        ("from math import *", "def relu(x):\n    return floor(1.5)"),
        ("from __future__ import annotations", "def relu(x: Unknown) -> Unknown:\n    return 1"),
        ("answer = 1", "def relu(x):\n    return globals()['answer']"),
        ("answer = 1", "def relu(x):\n    return eval('answer')"),
        ("from dataclasses import dataclass", "@dataclass\nclass P:\n    a: int = 1", "def relu(x):\n    return P().a"),
        ("import functools", "def relu(x):\n    return 0", "relu = functools.partial(lambda y, x: y, 1)"),
        ("def relu(x):\n    return relu.a", "relu.a = 1"),
        ("if True:\n    def relu(x):\n        return 1\nelse:\n    relu = None",),
        ("try:\n    import cupy as np\nexcept ImportError:\n    import numpy as np", "relu = lambda x: np.int64(1)"),
        ("def relu(x: Array, pair=PAIR):\n    return pair[0]", "PAIR = 1, two", "two = 2", "Array = object"),
        ("def relu(x: Late):\n    return 0", "def relu(x):\n    return 1", "Late = int"),
        ("import numpy as np\nimport numpy.linalg", "def relu(x):\n    return int(numpy.linalg.norm(np.ones(1)))"),
    ],
)
def test_what_an_answer_needs_is_run(load, cells):
    assert answer(load, *cells) == 1


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ('%pip install numpy\n!ls -l "unclosed\nx = 1', "pass\npass\nx = 1"),
        ("!pip install \\\n   numpy\nx = 1", "pass\n\nx = 1"),
        ("relu?\n?relu\nrelu??\nnp.a*?\nx = 1", "pass\npass\npass\npass\nx = 1"),
        ("files = !ls\ntime = %timeit -o x\na, b = !x\nx = 1", "pass\npass\npass\nx = 1"),
        ("if x:\n    %time y = 1\nx = 1", "if x:\n    y = 1\nx = 1"),
        ("%time no python\n%run a.py\n%run -i 'a b.ipynb'", "pass\n__run_file__('a.py')\n__run_file__('a b.ipynb')"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n\n%%timeit -n 3\nx = 1", "\n\n\nx = 1"),
        ("%%capture out\n%pip install x\nx = 1", "\npass\nx = 1"),
        ("%%bash\nrm -rf x", ""),
        ("%%writefile a.py\nx = 1", ""),
        ("%%html\n<b>x</b>", ""),
        ("   \n\t", ""),
        ("    x = 1\n    y = 2", "x = 1\ny = 2"),
        ("x = (a\n  % b)\ns = '''\n%time\n'''\n!ls", "x = (a\n  % b)\ns = '''\n%time\n'''\npass"),
        ("x = a \\\n  % b\n!ls", "x = a \\\n  % b\npass"),
        ("s = '(' # [\n!ls\nx = 1", "s = '(' # [\npass\nx = 1"),
        ('s = "\\"(" + \'"""\'\n!ls\nx = """\\"""\n!a\n"""', 's = "\\"(" + \'"""\'\npass\nx = """\\"""\n!a\n"""'),
        ("x = 5 % 2\ny = 'what?'", "x = 5 % 2\ny = 'what?'"),
    ],
)
def test_what_is_not_python_is_dropped_in_place(source, python):
    assert to_python(source) == python


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "json"),
        (b"{", "json"),
        (b"[" * 100_000, "json"),
        (b"\xff\xfe{}", "json"),
        (b"[]", "shape"),
        (b"{}", "shape"),
        (b'{"nbformat": 4, "cells": {}}', "shape"),
        (b'{"nbformat": "4", "cells": []}', "shape"),
        (b'{"nbformat": 3, "worksheets": []}', "old"),
        (b'{"nbformat": 5, "cells": []}', "new"),
        (b'{"nbformat": 4, "cells": [1e999999, ' + b"9" * 5000 + b"]}", "json"),
    ],
)
def test_what_is_not_a_notebook_is_refused_with_a_sentence(tmp_path, data, reason):
    with pytest.raises(NotANotebook) as caught:
        read_cells(data)
    assert caught.value.reason == reason
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "bad.ipynb").write_bytes(data)
    (tmp_path / "w" / "good.py").write_text("def relu(x):\n    return 1\n")
    read = read_submission(tmp_path / "w")
    assert list(read.files) == ["good.py"]
    assert "bad.ipynb" in read.notes[0]
    assert "bad.ipynb" in read_submission(tmp_path / "w" / "bad.ipynb").problem


def test_a_notebook_with_a_byte_order_mark_is_one():
    assert len(read_cells(b"\xef\xbb\xbf" + notebook("x = 1"))) == 1


def test_a_notebook_may_be_larger_than_a_module(tmp_path):
    path = tmp_path / "work.ipynb"
    path.write_bytes(notebook({"cell_type": "code", "source": "", "outputs": ["x" * 3_000_000]}))
    assert list(read_submission(path).files) == ["work.ipynb"]
    path.write_bytes(notebook({"cell_type": "code", "source": "", "outputs": ["x" * 11_000_000]}))
    assert "larger than 10 MB" in read_submission(path).problem


def test_notebooks_and_modules_may_be_mixed(tmp_path, course):
    (tmp_path / "cost_model.py").write_text("def optimal_segment(n):\n    return 1\n")
    (tmp_path / "recompute.ipynb").write_bytes(notebook("def relu(x):\n    return 1"))
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / ".ipynb_checkpoints" / "recompute-checkpoint.ipynb").write_bytes(notebook("def relu(x):\n    return 2"))
    assert [each.id for each in collect([tmp_path], course).found] == [tmp_path.name]
    assert sorted(read_submission(tmp_path).files) == ["cost_model.py", "recompute.ipynb"]


def test_a_notebook_is_not_a_module_that_others_import(load):
    loader = load(
        "def relu(x):\n    return 1",
        other="try:\n    import work\nexcept ImportError:\n    work = None\ndef linear_forward():\n    return work",
    )
    assert loader.function("linear_forward")() is None


def test_other_text_is_not_taken_for_code():
    loader = Loader({"notes.md": b"def relu(x):\n  (((", "a.py": b"def relu(x):\n    return 1"}, WANTED)
    try:
        assert loader.function("relu")(0) == 1
        assert loader.origins() == {"relu": "a.py"}
    finally:
        loader.close()

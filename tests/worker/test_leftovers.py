"""What people leave at the top level of a file costs what cannot run, and nothing else, wherever the file is run."""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from grader.checks.explaining import explain
from grader.desk.apart import ApartStudent
from grader.isolation.sandbox import detect
from grader.isolation.zygote import Zygotes
from grader.results import State
from grader.student.here import LocalStudent
from grader.student.left_out import sentences
from grader.student.outcomes import Outcome
from grader.student.sealed import SealedStudent
from grader.worker import statements
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
X = np.array([[-1.0, 2.0], [3.0, -4.0]])
RIGHT = np.maximum(X, 0)
ANSWER = "import numpy as np\n\n\ndef relu(x):\n    return np.maximum(x, 0)\n"
ABSENT = "{0} is not there when you are graded; recompute.py, line {1} is left out."


@dataclass(frozen=True)
class Habit:
    """Something that stands in a file.

    Attributes
    ----------
    says
        Sentences, as regular expressions, that must be told; by default nothing is left out.
    above, below
        What stands above and below the right answer; `whole` what stands in its place.
    files
        What lies beside it.
    """

    name: str
    above: str = ""
    below: str = ""
    whole: str = ""
    says: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return self.whole or "\n".join(filter(None, [self.above, ANSWER, self.below]))

    @property
    def submission(self) -> dict[str, bytes]:
        files = {"recompute.py": self.source, **self.files}
        return {name: text.encode() for name, text in files.items()}


HABITS = [
    # Statements that cannot run where it is graded.
    Habit(
        "loads data that was not handed in", below='data = np.load("weights.npz")\nprint(data)', says=("weights.npz",)
    ),
    Habit("a wrong assert of one's own", below='assert relu(np.ones(1)) == 2, "hm"', says=("AssertionError: hm",)),
    Habit(
        "exits with a main function", below="import sys\nsys.exit(0)", says=(r"line 8 is left out: it calls exit\.",)
    ),
    Habit("exits", below="exit()", says=("it calls exit",)),
    Habit("runs its unit tests", below="import unittest\nunittest.main()", says=("it calls exit",)),
    Habit("asks for input", below='n = int(input("How many? "))', says=("EOFError",)),
    Habit("shows with a notebook's function", below="display(relu(np.zeros(2)))", says=("NameError",)),
    Habit("goes to a drive", above='import os\nos.chdir("/content/drive/MyDrive/hw3")', says=("content/drive",)),
    Habit(
        "pins a version", above='import numpy\nassert numpy.__version__.startswith("1."), "numpy 1"', says=("numpy 1",)
    ),
    Habit("divides by zero", above="1 / 0", says=(r"line 1 is left out: ZeroDivisionError: division by zero\.",)),
    Habit("raises what is no exception", above="raise KeyError", says=("KeyError",)),
    Habit("a loop over a name that is not there", below="for i in rows:\n    print(i)", says=("name 'rows'",)),
    Habit("an annotation of an older NumPy", below="def old(x: np.float_):\n    return x", says=("NumPy 2",)),
    Habit("fails in a test function", below="def test():\n    assert False\ntest()", says=("AssertionError",)),
    # Statements that can.
    Habit("prints bytes", above='import sys\nsys.stdout.buffer.write(b"x")\nsys.stdout.reconfigure(encoding="utf-8")'),
    Habit("sets options", above='import numpy as np\nnp.set_printoptions(precision=3)\nnp.seterr(all="raise")'),
    Habit("makes warnings errors", above='import warnings\nwarnings.filterwarnings("error")'),
    Habit("seeds", above="import numpy as np, random\nnp.random.seed(0)\nrandom.seed()\nrng = np.random.default_rng()"),
    Habit("tests itself", below="assert relu(np.ones(1)) == 1\nprint(relu(np.ones(3)))"),
    Habit("runs only as a program", below='if __name__ == "__main__":\n    raise SystemExit'),
    Habit("parses arguments", below="import argparse\nargs = argparse.ArgumentParser().parse_args()"),
    Habit("reads itself", below="text = open(__file__).read()\nassert 'relu' in text"),
    Habit("saves a file", below='np.save("x.npy", np.zeros(3))\nassert np.load("x.npy").shape == (3,)'),
    Habit("writes a text", below='with open("results.txt", "w") as file:\n    file.write("x")'),
    Habit(
        "makes a folder", below='import os\nos.makedirs("out/plots", exist_ok=True)\nopen("out/plots/a", "w").close()'
    ),
    Habit("logs to a file", above='import logging\nlogging.basicConfig(filename="log.txt")\nlogging.warning("x")'),
    Habit("reads its source", below="import inspect\nassert 'maximum' in inspect.getsource(relu)"),
    Habit("profiles if it can", above="import builtins\nbuiltins.profile = lambda f: f\n\n@profile\ndef f(): pass"),
    Habit(
        "reads a configuration beside it",
        above="import json\nfrom pathlib import Path\n"
        'FLOOR = json.loads((Path(__file__).parent / "c.json").read_text())["floor"]',
        below="def relu(x):\n    return np.maximum(x, FLOOR)",
        files={"c.json": '{"floor": 0}'},
    ),
    Habit(
        "reads a table by its name",
        above='import csv\nimport os\nassert os.path.exists("t.csv")\nFLOOR = int(next(csv.reader(open("t.csv")))[0])',
        below="def relu(x):\n    return np.maximum(x, FLOOR)",
        files={"t.csv": "0\n"},
    ),
    # What is built up as the file runs.
    Habit(
        "a table filled in a loop",
        above="T = {}\nfor n in [0]:\n    T[n] = n",
        below="def relu(x):\n    return np.maximum(x, T[0])",
    ),
    Habit(
        "a table filled in blocks",
        above="import numpy as np\nT = {}\nif True:\n    T['a'] = 0\nwith np.errstate():\n    T['b'] = 0",
        below="def relu(x):\n    return np.maximum(x, T['a'] + T['b'])",
    ),
    Habit(
        "a set-up function of one's own",
        above="def set_up():\n    global FLOOR\n    FLOOR = 0\nset_up()",
        below="def relu(x):\n    return np.maximum(x, FLOOR)",
    ),
    Habit(
        "a registering decorator",
        whole="import numpy as np\nOPS = {}\ndef register(f):\n    OPS[f.__name__] = f\n    return f\n@register\n"
        "def positive(x):\n    return np.maximum(x, 0)\ndef relu(x):\n    return OPS['positive'](x)",
    ),
    Habit(
        "setattr on a class",
        whole="import numpy as np\nclass Ops: pass\nsetattr(Ops, 'f', staticmethod(lambda x: np.maximum(x, 0)))\n"
        "relu = Ops.f",
    ),
    Habit(
        "copying into an array",
        above="import numpy as np\nFLOOR = np.ones(1)\nnp.copyto(FLOOR, 0)",
        below="def relu(x):\n    return np.maximum(x, FLOOR)",
    ),
    Habit(
        "a singledispatch",
        whole="import numpy as np\nfrom functools import singledispatch\n@singledispatch\ndef relu(x):\n"
        "    raise NotImplementedError\n@relu.register\ndef _(x: np.ndarray):\n    return np.maximum(x, 0)",
    ),
    Habit("a name put into globals", whole="import numpy as np\nglobals()['re' + 'lu'] = lambda x: np.maximum(x, 0)"),
    Habit(
        "a stub replaced at run time",
        whole="import numpy as np\ndef relu(x):\n    raise NotImplementedError\n"
        "globals()['relu'] = lambda x: np.maximum(x, 0)",
    ),
    Habit("a wrapped function", below="def twice(f):\n    return lambda x: f(x)\nrelu = twice(relu)"),
    # Modules that are not there.
    Habit(
        "plots",
        above="import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt",
        below="fig, ax = plt.subplots(), 1\nplt.plot([1])\nplt.show()",
        says=(re.escape("matplotlib is not there when you are graded; recompute.py, lines 1, 3 are left out."),),
    ),
    Habit(
        "plots if it can",
        above="try:\n    import matplotlib.pyplot as plt\nexcept ImportError:\n    plt = None\nassert plt is None",
    ),
    Habit(
        "plots if it can, otherwise said",
        above="import contextlib\nplt = None\nwith contextlib.suppress(ModuleNotFoundError):\n"
        "    import matplotlib.pyplot as plt\nassert plt is None",
    ),
    Habit(
        "computes on a GPU if it can",
        whole="try:\n    import cupy as np\nexcept ImportError:\n    import numpy as np\ndef relu(x):\n"
        "    return np.maximum(x, 0)",
    ),
    Habit(
        "plots in the answer",
        above="import matplotlib.pyplot as plt",
        below="def relu(x):\n    plt.plot(x)\n    return np.maximum(x, 0)",
        says=(ABSENT.format("matplotlib", 1),),
    ),
    Habit(
        "compiles",
        above="from numba import njit, prange",
        below="@njit(parallel=True)\ndef relu(x):\n    for _ in prange(1):\n        y = np.maximum(x, 0)\n    return y",
        says=("numba",),
    ),
    Habit("compiles afterwards", above="import numba", below="relu = numba.njit(relu)", says=("numba",)),
    Habit(
        "annotates with shapes",
        above="from jaxtyping import Float, jaxtyped\nimport numpy as np",
        below="@jaxtyped\ndef relu(x: Float[np.ndarray, 'n d'] | None) -> Float:\n    return np.maximum(x, 0)",
        says=("jaxtyping",),
    ),
    Habit(
        "asks for a type of another library",
        above="import pandas as pd",
        below="def relu(x):\n    return np.maximum(x.to_numpy() if isinstance(x, pd.DataFrame) else x, 0)",
        says=("pandas",),
    ),
    Habit(
        "shows progress",
        above="from tqdm import tqdm, trange",
        below="def relu(x):\n    return np.array([np.maximum(row, 0) for row in tqdm(x, desc='rows')])\n"
        "for _ in trange(3): pass",
        says=("tqdm",),
    ),
    Habit(
        "tests with pytest",
        above="import pytest",
        below="@pytest.mark.parametrize('x', [0.0])\ndef test_relu(x):\n    with pytest.raises(ValueError):\n"
        "        relu(x)",
        says=("pytest",),
    ),
    Habit(
        "derives from a class of another library",
        above="from torch_geometric.nn import Module",
        below="class Net(Module):\n    def __init__(self):\n        super().__init__()",
        says=("torch_geometric",),
    ),
    Habit(
        "sets options of another library",
        above="import pandas as pd\npd.options.display.width = 100\npd.set_option('a', 1)",
        says=("pandas",),
    ),
    Habit(
        "imports what the course hands out",
        above="from grader.notebook import check, hint\nfrom lesson.figures import memory_over_time\n"
        "import lesson.instruments",
        below="check('step1').points\nhint(1)",
    ),
    Habit("takes what a newer Python has", above="from itertools import batched_of_tomorrow", says=("itertools",)),
    Habit(
        "overrides as a newer Python can",
        above="from typing import override_of_tomorrow as override",
        below="class A:\n    @override\n    def f(self): pass",
        says=("typing",),
    ),
    Habit(
        "annotates in every way",
        above="import torch_of_tomorrow as torch\n"
        "from typing import Annotated, Callable, Optional, TypeVar, Union, cast\n"
        "import numpy as np\n"
        "T = TypeVar('T', bound=torch.Tensor)\n"
        "A = Union[np.ndarray, torch.Tensor, None]\n"
        "B = Optional[torch.Tensor] | torch.Tensor | np.ndarray\n"
        "C = Callable[[torch.Tensor], dict[str, torch.Tensor]]\n"
        "def f(x: Annotated[torch.Tensor, 1], device=torch.device('cpu')) -> C:\n"
        "    return cast(torch.Tensor, x)\n"
        "assert not isinstance(1, (str, torch.Tensor))\n"
        "print(torch, f'{torch.__version__}')",
        says=("torch_of_tomorrow",),
    ),
    Habit(
        "asks whether there is a GPU",
        above="import torch_of_tomorrow as torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'",
        below="with torch.no_grad():\n    y = relu(np.ones(3))\nassert y[0] == 1\n@torch.no_grad()\ndef g(): pass\ng()",
        says=("lines 1, 2 are left out",),
    ),
    Habit(
        "uses what a newer Python or NumPy has or an older had",
        above="from numpy import float_ as old\nfrom math import sumprod_of_tomorrow",
        below="def g(x: old): pass",
        says=("numpy", "math"),
    ),
    # Files that find each other.
    Habit("imports from the folder it was in", whole="from work.helper import relu", files={"helper.py": ANSWER}),
    Habit("imports relatively without a package", whole="from .helper import relu", files={"helper.py": ANSWER}),
    Habit(
        "imports a neighbour relatively", whole="from . import helper\nrelu = helper.relu", files={"helper.py": ANSWER}
    ),
    Habit("imports in another case", whole="from Helper import relu", files={"helper.py": ANSWER}),
    Habit("imports a dotted name", whole="import work.helper\nrelu = work.helper.relu", files={"helper.py": ANSWER}),
    Habit("imports a numbered copy", whole="from helper import relu", files={"helper (1).py": ANSWER}),
    Habit(
        "imports what a system has renamed",
        whole="from helper import relu",
        files={"smith_123_456_helper-2.py": ANSWER},
    ),
    Habit("imports what begins with a digit", whole="from helper import relu", files={"01_helper.py": ANSWER}),
    Habit(
        "imports a package that fails",
        whole="from pkg.helper import relu",
        files={"pkg/__init__.py": "1 / 0\nfrom . import nothing", "pkg/helper.py": ANSWER},
        says=("ZeroDivisionError", "pkg/__init__.py, line 2"),
    ),
    Habit(
        "imports all of a module that is not there",
        above="from solution import *",
        says=(ABSENT.format("solution", 1),),
    ),
]


def told_here(student):
    return sentences(student.left_out(["relu"]))


@pytest.fixture
def here():
    made = []

    def here(files):
        made.append(LocalStudent(files, COURSE.functions))
        return made[-1]

    yield here
    for student in made:
        student.close()


@pytest.fixture(scope="module")
def sealed():
    zygotes = Zygotes(detect(), COURSE.importable)
    made = []

    def sealed(files):
        made.append(SealedStudent(zygotes, files, COURSE.functions, {}))
        return made[-1]

    yield sealed
    for student in made:
        student.close()
    zygotes.close()


def outcome_of(student):
    """What a student's relu comes to, and all that is said about it."""
    try:
        value = student.call("relu", X)
    except Outcome as outcome:
        feedback = explain(outcome, public=True)
        return (outcome.state, feedback.got, feedback.cause), told_here(student)
    return np.array_equal(value, RIGHT), told_here(student)


def test_there_are_many_habits():
    assert len(HABITS) >= 60
    assert len({habit.name for habit in HABITS}) == len(HABITS)


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_a_habit_costs_nothing_and_what_is_left_out_is_told(here, habit):
    right, told = outcome_of(here(habit.submission))
    assert right is True
    assert len(told) == len(habit.says), told
    for pattern, sentence in zip(habit.says, told, strict=True):
        assert re.search(pattern, sentence)


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_the_sandbox_says_the_same(here, sealed, habit):
    student = sealed(habit.submission)
    assert outcome_of(student) == outcome_of(here(habit.submission))
    student.close()


@pytest.mark.parametrize("habit", [habit for habit in HABITS if not habit.files], ids=lambda habit: habit.name)
def test_a_notebook_says_the_same(here, habit):
    nodes = ast.parse(habit.source).body
    starts = [min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]) - 1 for node in nodes]
    lines = habit.source.splitlines()
    cells = ["\n".join(lines[a:b]) for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": code}).encode()
    right, told = outcome_of(here({"recompute.ipynb": notebook}))
    assert right is True
    # Only there `display` is a name.
    assert len(told) == len(habit.says) or "display(" in habit.source


@pytest.mark.parametrize("habit", HABITS[::13], ids=lambda habit: habit.name)
def test_a_process_of_its_own_says_the_same(here, habit):
    apart = ApartStudent(habit.submission, COURSE)
    try:
        assert outcome_of(apart) == outcome_of(here(habit.submission))
    finally:
        apart.close()


# --- what cannot be had ------------------------------------------------------------------------------

LOST = [
    (
        "a decorator that is not there",
        ANSWER + "@missing\ndef relu(x):\n    return np.abs(x)\n",
        State.ERROR,
        "There is no such function, as what makes it could not run. It raised NameError: name 'missing' is not defined "
        "in recompute.py, line 6.",
        "",
    ),
    (
        "a default that raises",
        ANSWER + "def relu(x, floor=1 / 0):\n    return np.abs(x)\n",
        State.ERROR,
        "There is no such function, as what makes it could not run. It raised ZeroDivisionError: division by zero in "
        "recompute.py, line 6.",
        "",
    ),
    (
        "a value that cannot be loaded",
        ANSWER + 'relu = np.load("relu.npy")\n',
        State.ERROR,
        "There is no such function, as what makes it could not run. It raised FileNotFoundError: [Errno 2] "
        "No such file "
        "or directory: 'relu.npy' in recompute.py, line 6.",
        "",
    ),
    (
        "a table that cannot be loaded",
        ANSWER + 'T = np.load("t.npy")\ndef relu(x):\n    return np.maximum(x, T)\n',
        State.ERROR,
        "It raised NameError: name 'T' is not defined in recompute.py, line 8.",
        "T is not there, as recompute.py, line 6 could not run.",
    ),
    (
        "a library that answers",
        "from scipy.special import expit\ndef relu(x):\n    return expit(x)\n",
        State.ERROR,
        "It needs scipy.special, which is not there when you are graded.",
        "",
    ),
    (
        "a library that computes",
        "import scipy.special as s\ndef relu(x):\n    return x * s.expit(x)\n",
        State.ERROR,
        "It needs scipy in recompute.py, line 3, which is not there when you are graded.",
        "",
    ),
    (
        "a class of a library",
        "from torchvision.ops import MLP\nclass Net(MLP): pass\ndef relu(x):\n    return Net()(x)\n",
        State.ERROR,
        "It needs torchvision.ops in recompute.py, line 4, which is not there when you are graded.",
        "",
    ),
    (
        "no Python",
        ANSWER + "def (",
        State.ERROR,
        "recompute.py cannot be read as Python, line 6: SyntaxError: invalid syntax",
        "",
    ),
    (
        "no Python as a whole",
        ANSWER + "return 3",
        State.ERROR,
        "recompute.py cannot be read as Python, line 6: SyntaxError: 'return' outside function",
        "",
    ),
    ("a stub", "def relu(x):\n    raise NotImplementedError\n", State.NOT_ATTEMPTED, "This is still the stub.", ""),
    ("nothing", "x = 1\n", State.NOT_ATTEMPTED, "There is no function of this name.", ""),
]


@pytest.mark.parametrize(
    ("source", "state", "got", "cause"), [each[1:] for each in LOST], ids=[each[0] for each in LOST]
)
def test_what_depends_on_what_cannot_run_is_lost_and_says_why(here, sealed, source, state, got, cause):
    files = {"recompute.py": source.encode()}
    found, told = outcome_of(here(files))
    assert found == (state, got, cause)
    assert outcome_of(sealed(files)) == (found, told)


def test_only_a_module_that_a_file_imports_is_named_where_inputs_are_hidden(sealed):
    source = "import scipy.special as s\nfrom numpy import float_ as old\nsecret = 'secret_1'\n" + ANSWER
    student = sealed({"recompute.py": source.encode()})
    assert student._is_imported("scipy.special")
    assert not student._is_imported("secret_1")
    assert not student._is_imported("special")
    assert not student._is_imported("sci|numpy")
    assert student._error({"module": "numpy.float_"}).module == "numpy"
    hostile = sealed({"recompute.py": b"# " + b"import " * 250_000})
    assert not hostile._is_imported("scipy")


TRAINING = ANSWER + "while True:\n    loss = relu(np.ones(3))\n"


@pytest.mark.parametrize(
    "source",
    [
        TRAINING,
        ANSWER + "while True:\n    try:\n        relu(np.ones(3))\n    except:\n        pass\n",
        ANSWER + "def train():\n    while True:\n        pass\ntrain()\n",
        ANSWER + "import threading\nthreading.Event().wait()\n",
    ],
)
def test_what_takes_too_long_is_cut_off_and_named(here, monkeypatch, source):
    monkeypatch.setattr(statements, "STATEMENT_SECONDS", 0.05)
    line = (
        source.splitlines().index(
            next(each for each in source.splitlines()[5:] if each[:5] in ("while", "train", "threa"))
        )
        + 1
    )
    student = here({"recompute.py": source.encode()})
    assert outcome_of(student) == (True, [f"recompute.py, line {line} is left out after 0.05 seconds."])


def test_after_much_time_definitions_still_run(here, monkeypatch):
    monkeypatch.setattr(statements, "STATEMENT_SECONDS", 0.05)
    monkeypatch.setattr(statements, "FILE_SECONDS", 0.02)
    right, told = outcome_of(here({"recompute.py": ("while True: pass\n" * 3 + ANSWER).encode()}))
    assert right is True
    assert len(told) == 3


def test_a_loop_at_the_top_costs_nothing_in_the_sandbox_and_is_not_run_again(sealed):
    student = sealed({"recompute.py": TRAINING.encode()})
    assert outcome_of(student) == (True, ["recompute.py, line 6 is left out after 2 seconds."])
    student.renew()
    before = student._seconds_left
    assert outcome_of(student)[0] is True
    assert before - student._seconds_left < 1.5


def test_pytorch_that_is_missing_costs_the_steps_beside_it_nothing(sealed):
    benchmark = (ROOT / "solutions" / "torch_benchmark.py").read_text(encoding="utf-8")
    student = sealed({"recompute.py": (benchmark + ANSWER).encode()})
    right, told = outcome_of(student)
    assert right is True
    assert len(told) == 1
    assert told[0].startswith("torch is not there when you are graded; recompute.py, lines ")


def test_a_file_that_ends_the_process_is_a_failure_with_a_sentence():
    apart = ApartStudent({"recompute.py": (ANSWER + "import os\nos._exit(0)\n").encode()}, COURSE)
    with pytest.raises(Outcome) as caught:
        apart.call("relu", X)
    assert caught.value.state is State.CRASHED
    assert "The process ended (exit code 0)" in explain(caught.value, public=True).got
    apart.close()


def test_what_a_file_sets_for_its_process_holds_for_its_code_alone(here):
    source = (
        "import warnings\nimport numpy as np\nnp.seterr(all='raise')\nwarnings.filterwarnings('error')\n"
        "def relu(x):\n    return np.array([np.geterr()['divide'] == 'raise', warnings.filters[0][0] == 'error'])\n"
    )
    before = np.geterr(), list(warnings.filters)
    student = here({"recompute.py": source.encode()})
    assert student.call("relu", X).tolist() == [True, True]
    assert student.call("relu", X).tolist() == [True, True]
    assert (np.geterr(), list(warnings.filters)) == before


def test_no_library_is_left_half_imported(here, monkeypatch, tmp_path):
    monkeypatch.setattr(statements, "STATEMENT_SECONDS", 0.05)
    (tmp_path / "imported_slowly_for_a_test.py").write_text(
        "import time\nends = time.thread_time() + 0.2\nwhile time.thread_time() < ends: pass\ndone = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    # As libraries do in the middle of a call, past the student's own `import`.
    source = "import importlib\nslow = importlib.import_module('imported_slowly_for_a_test')\nwhile True: pass\n"
    right, told = outcome_of(here({"recompute.py": (source + ANSWER).encode()}))
    assert right is True
    assert told[-1] == "recompute.py, line 3 is left out after 0.05 seconds."
    assert sys.modules.pop("imported_slowly_for_a_test").done

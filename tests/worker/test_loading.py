"""Functions are found by name, in whatever files and forms they come."""

import sys

import pytest

from grader.worker.loading import Loader, Unavailable

WANTED = ("relu", "linear_forward", "optimal_segment")


@pytest.fixture
def load():
    loaders = []

    def load(**files):
        named = {name.replace("__", "/") + ".py": source.encode() for name, source in files.items()}
        loaders.append(Loader(named, WANTED))
        return loaders[-1]

    yield load
    for loader in loaders:
        loader.close()


@pytest.fixture
def load_files():
    loaders = []

    def load_files(files):
        loaders.append(Loader({name: source.encode() for name, source in files.items()}, WANTED))
        return loaders[-1]

    yield load_files
    for loader in loaders:
        loader.close()


@pytest.mark.parametrize(
    "source",
    [
        "def relu(x):\n    return x + 1",
        "relu = lambda x: x + 1",
        "def f(x):\n    return x + 1\nrelu = f",
        "from functools import partial\nfrom operator import add\nrelu = partial(add, 1)",
        "class C:\n    def __call__(self, x):\n        return x + 1\nrelu = C()",
        "class M:\n    @staticmethod\n    def run(x):\n        return x + 1\nrelu = M.run",
        "if True:\n    def relu(x):\n        return x + 1",
        "try:\n    from nowhere import relu\nexcept ImportError:\n    def relu(x):\n        return x + 1",
        "relu: object = lambda x: x + 1",
        "a, relu = 1, lambda x: x + 1",
        "def relu(x):\n    return 0\ndef relu(x):\n    return x + 1",
        "def deco(f):\n    return lambda x: f(x) + 1\n@deco\ndef relu(x):\n    return x",
        "# coding: latin-1\ndef relu(x):\n    return x + 1",
        "\ufeffdef relu(x):\n    return x + 1",
        "def relu(x):\r\n    return x + 1\r\n",
    ],
)
def test_any_module_level_callable_counts(load, source):
    assert load(answers=source).function("relu")(1) == 2


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("", "missing"),
        ("relu = None", "missing"),
        ("def f():\n    def relu(x): pass", "missing"),
        ("def relu(x):\n    '''Doc.'''\n    raise NotImplementedError", "stub"),
        ("def relu(x):\n    # TODO\n    raise NotImplementedError('todo')", "stub"),
        ("def relu(x:\n", "broken"),
        ("def relu(x):\nreturn x", "broken"),
    ],
)
def test_what_cannot_be_called_says_why(load, source, kind):
    with pytest.raises(Unavailable) as caught:
        load(answers=source).function("relu")
    assert caught.value.kind == kind


def test_a_broken_file_names_its_line(load):
    with pytest.raises(Unavailable) as caught:
        load(answers="\n\ndef relu(x:\n    pass\n").origin("relu")
    assert caught.value.files == ["answers.py"]
    assert caught.value.error["line"] == 3


def test_a_stub_beside_an_answer_is_not_a_candidate(load):
    loader = load(a="def relu(x):\n    raise NotImplementedError", b="def relu(x):\n    return 5")
    assert loader.function("relu")(1) == 5


def test_identical_copies_are_not_a_conflict(load):
    body = "def relu(x):\n    '''{}'''\n    return x + 1  # {}\n"
    loader = load(a=body.format("One.", 1), backup__a=body.format("Two.", 2))
    assert loader.origin("relu") == "a.py"


def test_different_copies_are_a_conflict(load):
    with pytest.raises(Unavailable) as caught:
        load(a="def relu(x):\n    return 1", b="def relu(x):\n    return 2").function("relu")
    assert caught.value.kind == "conflict"
    assert caught.value.files == ["a.py", "b.py"]


def test_an_imported_name_is_not_a_second_candidate(load):
    loader = load(
        mine="def relu(x):\n    return 1", other="from mine import relu\ndef linear_forward():\n    return relu(0)"
    )
    assert loader.origin("relu") == "mine.py"
    assert loader.function("linear_forward")() == 1
    assert loader.function("linear_forward").__globals__["relu"] is loader.function("relu")


def test_an_import_alone_counts(load):
    assert load(a="from operator import neg as relu").function("relu")(2) == -2


def test_files_import_each_other_from_anywhere(load_files):
    loader = load_files(
        {
            "work/main.py": "from helper import one\nfrom tools.deep import two\ndef relu(x):\n    return one + two",
            "work/helper.py": "one = 1",
            "work/tools/deep.py": "from .near import two",
            "work/tools/near.py": "two = 2",
        }
    )
    assert loader.function("relu")(0) == 3


def test_packages_with_relative_imports(load_files):
    loader = load_files(
        {
            "pkg/__init__.py": "from .impl import relu",
            "pkg/impl.py": "from . import numbers_of_mine as n\ndef relu(x):\n    return n.value",
            "pkg/numbers_of_mine.py": "value = 7",
        }
    )
    assert loader.function("relu")(0) == 7


def test_a_file_runs_once_whatever_names_it_has(load_files):
    loader = load_files(
        {
            "pkg/state.py": "calls = []\n",
            "pkg/a.py": "import state\nfrom . import state as same\nimport pkg.state\nstate.calls.append(1)\n"
            "def relu(x):\n    return (len(same.calls), state is same, pkg.state is state)",
        }
    )
    assert loader.function("relu")(0) == (1, True, True)


def test_cycles_of_imports_work_as_in_python(load):
    loader = load(a="import b\ndef relu(x):\n    return b.value", b="import a\nvalue = 3")
    assert loader.function("relu")(0) == 3


@pytest.mark.parametrize("name", ["numpy", "random", "pytest", "solutions", "grader"])
def test_a_file_never_shadows_a_library(load_files, name):
    loader = load_files(
        {
            f"{name}.py": "value = 'mine'\ndef relu(x):\n    return 1",
            "b.py": f"import {name}\ndef linear_forward():\n    return isinstance(getattr({name}, 'value', None), str)",
        }
    )
    assert loader.function("relu")(0) == 1
    assert loader.function("linear_forward")() is False


@pytest.mark.parametrize("name", ["step 1 (final).py", "my-answer.py", "1.py", "übung.py", "a.b.py", "class.py"])
def test_any_file_name_will_do(load_files, name):
    assert load_files({name: "def relu(x):\n    return 1"}).function("relu")(0) == 1


def test_a_file_without_answers_is_never_run(load):
    loader = load(a="def relu(x):\n    return 1", plots="raise SystemExit")
    assert loader.function("relu")(0) == 1


def test_a_file_in_which_something_raises_runs_once(load):
    loader = load(a="import sys\nsys.runs = getattr(sys, 'runs', 0) + 1\n1 / 0\ndef relu(x): return sys.runs")
    try:
        assert [loader.function("relu")(0) for _ in range(3)] == [1, 1, 1]
        assert [entry["line"] for entry in loader.left_out()] == [3]
        assert loader.left_out() == []
    finally:
        del sys.runs


def test_replaced_functions_reach_every_module(load):
    loader = load(a="def relu(x):\n    return 1", b="from a import relu\ndef linear_forward():\n    return relu(0)")
    assert loader.function("linear_forward")() == 1
    loader.replace({"relu": lambda x: 9})
    assert loader.function("linear_forward")() == 9
    assert loader.function("relu")(0) == 9


def test_closing_forgets_the_modules(load_files):
    before = set(sys.modules)
    loader = Loader(
        {
            "pkg/__init__.py": b"",
            "pkg/mod_of_mine.py": b"from . import other_of_mine\ndef relu(x): pass",
            "pkg/other_of_mine.py": b"",
        },
        WANTED,
    )
    loader.function("relu")
    loader.close()
    assert set(sys.modules) == before
    assert loader not in sys.meta_path


def test_a_module_of_this_process_steps_aside_for_a_file_of_its_name(load):
    import types

    sys.modules["helper_of_mine"] = ours = types.ModuleType("helper_of_mine")
    try:
        loader = load(
            helper_of_mine="value = 4", a="import helper_of_mine\ndef relu(x):\n    return helper_of_mine.value"
        )
        assert loader.function("relu")(0) == 4
        loader.close()
        sys.meta_path.insert(0, loader)
        assert sys.modules["helper_of_mine"] is ours
    finally:
        del sys.modules["helper_of_mine"]

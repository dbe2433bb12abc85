"""What notebooks go through on Colab, in VS Code and in students' hands costs no point."""

import copy
import itertools
import json
import random

import pytest
from notebook_tools import ROOT, filled_in, run

from grader.author.check import AuthorCheck
from grader.results import State
from grader.worker import statements
from lesson.course import load_course

COURSE = load_course()
TOPICS = [topic.id for topic in COURSE.topics]


def plain(topic):
    return json.loads(json.dumps(filled_in(topic, COURSE)))


def without_metadata(notebook):
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    notebook["metadata"] = {}


def without_ids(notebook):
    notebook["nbformat_minor"] = 2
    for cell in notebook["cells"]:
        del cell["id"]


def null_ids(notebook):
    for cell in notebook["cells"]:
        cell["id"] = None


def same_ids(notebook):
    for cell in notebook["cells"]:
        cell["id"] = "cell"


def from_colab(notebook):
    notebook["metadata"] = {
        "colab": {"provenance": [], "name": "Copy of recompute.ipynb"},
        "accelerator": "GPU",
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook["cells"]:
        cell.pop("id")
        cell["metadata"] = {"id": "x1", "colab": {"base_uri": "https://localhost:8080/"}, "outputId": "y"}
    first = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1}
    notebook["cells"].insert(
        0,
        {
            **first,
            "source": [
                "%pip install -q course.whl\n",
                "!nvidia-smi\n",
                "from google.colab import drive\n",
                "drive.mount('/content/drive')",
            ],
        },
    )


def from_vs_code(notebook):
    notebook["metadata"] = {"kernelspec": {"display_name": ".venv (3.13.1)", "language": "python", "name": "venv313"}}
    for cell in notebook["cells"]:
        cell["metadata"] = {"vscode": {"languageId": "python"}, **cell["metadata"]}
        cell["source"] = cell["source"].replace("\n", "\r\n")


def split_cells(notebook):
    """Each statement of a cell in a cell of its own."""
    import ast

    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        lines = cell["source"].splitlines(keepends=True)
        starts = [0, *(node.lineno - 1 for node in ast.parse(cell["source"]).body[1:]), len(lines)]
        for start, end in itertools.pairwise(starts):
            cells.append({**cell, "id": f"{cell['id']}-{start}"[-60:], "source": lines[start:end]})
    notebook["cells"] = cells


def one_cell(notebook):
    code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["cells"] = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": "\n\n".join(code)}]


def duplicated(notebook):
    notebook["cells"] += copy.deepcopy(notebook["cells"])


def old_attempts_above(notebook):
    """An earlier attempt, the stub, and a broken one stand above each answer."""
    cells = []
    for cell in notebook["cells"]:
        name = cell["id"].partition("-")[2]
        if name in COURSE.functions:
            for body in (": return None", ":\n    raise NotImplementedError", ":\n    return (", ": undefined"):
                cells.append({**cell, "id": f"{cell['id']}-{len(cells)}", "source": f"def {name}(*args){body}"})
        cells.append(cell)
    notebook["cells"] = cells


def stubs_below(notebook):
    stubs = [
        {
            **cell,
            "id": f"{cell['id']}-2",
            "source": f"def {cell['id'].partition('-')[2]}(x):\n    raise NotImplementedError()",
        }
        for cell in notebook["cells"]
        if cell["id"].partition("-")[2] in COURSE.functions
    ]
    notebook["cells"] += stubs


def shuffled(notebook):
    random.Random(5).shuffle(notebook["cells"])


def backwards(notebook):
    notebook["cells"].reverse()


def full_of_outputs(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = "many"
            cell["outputs"] = [{"output_type": "nonsense"}, 3, {"output_type": "stream", "text": ["def relu(x): pass"]}]


def lies_about_itself(notebook):
    notebook["metadata"] = {
        "kernelspec": {"name": "ir", "language": "R"},
        "nbgrader": "def relu(x): pass",
        "x": [[]] * 9,
    }
    for cell in notebook["cells"]:
        cell["metadata"] = {"nbgrader": {"grade": True, "points": 999}, "tags": None}


def timed(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and cell["id"] != "setup":
            cell["source"] = f"%%time\n{cell['source']}"


# fmt: off
HABITS = [
    without_metadata, without_ids, null_ids, same_ids, from_colab, from_vs_code, split_cells, one_cell, duplicated,
    old_attempts_above, stubs_below, shuffled, backwards, full_of_outputs, lies_about_itself, timed,
]
# fmt: on


@pytest.fixture(scope="module")
def checks():
    return AuthorCheck(ROOT, COURSE)


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.__name__)
def test_full_marks_stay_full_marks(checks, habit, monkeypatch):
    # The lesson about PyTorch measures for seconds, which answers nothing.
    monkeypatch.setattr(statements, "STATEMENT_SECONDS", 0.2)
    monkeypatch.setattr(statements, "FILE_SECONDS", 0.2)
    files = {}
    for topic in TOPICS:
        notebook = plain(topic)
        habit(notebook)
        files[f"{topic}.ipynb"] = json.dumps(notebook).encode()
    kept = (State.PASSED, State.SKIPPED)
    lost = [result.exercise.id for result in checks.grade_files(files) if result.state not in kept]
    assert lost == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "habit", [without_metadata, split_cells, duplicated, old_attempts_above, timed], ids=lambda habit: habit.__name__
)
def test_checks_in_cells_pass_as_well(habit, tmp_path):
    import nbformat

    notebook = plain("cost_model")
    habit(notebook)
    notebook["cells"] = [
        cell for cell in notebook["cells"] if "undefined" not in cell["source"]
    ]  # raises in a kernel too
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"c{number}"
    made = run(nbformat.reads(json.dumps(notebook), as_version=4), tmp_path)
    checked = [cell for cell in made.cells if cell.source.endswith(".points")]
    assert len(checked) >= len(COURSE.of_topic("cost_model"))
    for cell in checked:
        exercise = COURSE.exercise(cell.source.partition('"')[2].partition('"')[0])
        assert [output["data"]["text/plain"] for output in cell.outputs if "data" in output] == [str(exercise.points)]

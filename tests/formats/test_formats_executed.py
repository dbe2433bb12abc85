"""The executed copy: the student's notebook with outputs, and feedback after each answer that harms no reader."""

import json
import re

import nbformat
import pytest
from notebook_tools import ROOT, filled_in, functions_of
from rich.console import Console

from grader.classroom.run import RunOptions, run_class
from grader.formats.executed import with_feedback, write_executed
from grader.isolation.sandbox import detect
from grader.results import CheckResult, ExerciseResult, Feedback, State, SubmissionResult
from lesson.course import load_course

COURSE = load_course()
HOSTILE = "<script>alert(1)</script>\n\n# Big **bold** `code` $x$ [link](javascript:x) \x1b[31m\u202eevil"


def notebook(*cells: str) -> str:
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells]))


def result(state: State, text: str, note: str = "") -> SubmissionResult:
    exercises = [
        ExerciseResult(
            exercise,
            tuple(
                CheckResult(
                    check,
                    state,
                    Feedback(
                        called=text, got=text, expected=text, cause=text, read=text, hidden="SECRET", printed="PRINTED"
                    ),
                )
                for check in exercise.checks
            ),
            note,
        )
        for exercise in COURSE.exercises[:2]
    ]
    return SubmissionResult(id=text, path="path", exercises=tuple(exercises))


def test_feedback_stands_after_the_last_cell_of_each_answer():
    cells = (
        "import numpy",
        "def relu(x):\n    return x",
        "x = 1",
        "linear_forward = lambda x: x",
        "def model_backward(x):\n  1",
    )
    made = json.loads(with_feedback(notebook(*cells), result(State.FAILED, "wrong", "A note."), "Stopped."))
    nbformat.validate(nbformat.from_dict(made))
    sources = [cell["source"] if cell["cell_type"] == "markdown" else "code" for cell in made["cells"]]
    kinds = [re.sub(r".*>(. step\d).*", r"\1", source) for source in sources]
    assert kinds[1:] == ["code", "code", "code", "code", "✗ step1", "code", "✗ step2"]
    assert "Stopped." in made["cells"][0]["source"]
    assert "A note." in made["cells"][5]["source"]


def test_nothing_that_a_student_wrote_becomes_markup_and_nothing_hidden_is_shown():
    made = json.loads(with_feedback(notebook("def relu(x):\n    return x"), result(State.FAILED, HOSTILE), HOSTILE))
    prose = [cell["source"] for cell in made["cells"] if cell["cell_type"] == "markdown"]
    assert len(prose) == 2
    for text in prose:
        assert "<script" not in text
        assert "\n" not in text  # so that it stays one block of HTML
        assert not set("\x1b\u202e*`$[") & set(text)
        assert "SECRET" not in text
        assert "PRINTED" not in text
    assert "&lt;script&gt;" in prose[1]


def test_a_notebook_that_could_not_be_run_still_tells_the_result(tmp_path):
    (path,) = write_executed(tmp_path / "executed", result(State.PASSED, "ann"), {"a.ipynb": ("", "Could not be run.")})
    made = json.loads(path.read_text(encoding="utf-8"))
    assert len(made["cells"]) == 1
    assert "Could not be run." in made["cells"][0]["source"]


def test_several_notebooks_of_one_student_have_files_of_their_own(tmp_path):
    empty = notebook()
    paths = write_executed(tmp_path, result(State.PASSED, "../ann"), {"a.ipynb": (empty, ""), "b/a.ipynb": (empty, "")})
    assert len({path.name for path in paths}) == 2
    assert {path.parent for path in paths} == {tmp_path}
    assert write_executed(tmp_path / "none", result(State.PASSED, "bob"), {}) == []


@pytest.mark.slow
@pytest.mark.skipif(detect().level != "bwrap", reason="needs bubblewrap")
def test_a_run_with_execute_keeps_a_copy_of_each_notebook(tmp_path):
    handed_in = tmp_path / "class"
    handed_in.mkdir()
    nbformat.write(filled_in("selective", COURSE), handed_in / "ann.ipynb")
    wrong = functions_of((ROOT / "solutions" / "selective.py").read_text(encoding="utf-8"))
    wrong["should_recompute"] = wrong["should_recompute"].replace("100e6", "100e7")
    nbformat.write(filled_in("selective", COURSE, wrong), handed_in / "bob.ipynb")
    (handed_in / "eve.py").write_text("def relu(x):\n    return x\n")
    options = RunOptions(paths=(handed_in,), output=tmp_path / "grades", seed=1, execute=True)
    outcome = run_class(options, COURSE, Console(quiet=True))
    points = {each.id: each.points for each in outcome.results.submissions}
    assert points["ann"] == sum(exercise.points for exercise in COURSE.of_topic("selective"))
    assert points["bob"] < points["ann"]
    copies = sorted((tmp_path / "grades" / "executed").iterdir())
    assert [path.name.partition("-")[0] for path in copies] == ["ann", "bob"]
    for path in copies:
        made = nbformat.read(path, as_version=4)
        nbformat.validate(made)
        text = "\n".join(cell.source for cell in made.cells if cell.id.startswith("grader-"))
        assert ("expected: <code>True or False</code>" in text) == path.name.startswith("bob")
        outputs = [output for cell in made.cells for output in cell.get("outputs", [])]
        assert any("data:image/svg+xml" in output.get("data", {}).get("text/html", "") for output in outputs)

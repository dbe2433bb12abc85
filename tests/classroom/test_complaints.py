"""What an instructor needs when a student complains: replay, reports in every form, a look at the machine."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from grader.cases.fresh import FreshCases
from grader.classroom.replay import literal, snippet
from grader.commands import doctor
from grader.commands import main as cli
from grader.formats.registry import Format
from grader.isolation.sandbox import Isolation
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
STEP6 = load_course().exercise("step6")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A run over one submission with a wrong step 2 and a wrong step 3."""
    folder = tmp_path_factory.mktemp("complaint")
    wrong = (ROOT / "tests/wrong_answers/step2/bias_gradient_without_sum.py").read_text(encoding="utf-8")
    source = (ROOT / "solutions/recompute.py").read_text(encoding="utf-8")
    (folder / "s1").mkdir()
    (folder / "s1" / "recompute.py").write_text(source + "\n\n" + wrong, encoding="utf-8")
    (folder / "s2.py").write_text("", encoding="utf-8")
    result = CliRunner().invoke(
        cli.app, ["run", str(folder / "s1"), str(folder / "s2.py"), "--output", str(folder / "grades"), "--seed", "6"]
    )
    assert result.exit_code == 0, result.output
    return folder


def invoke(*arguments):
    result = CliRunner().invoke(cli.app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_replay_gives_the_exact_call_and_asks_it_again(graded):
    code, output = invoke("replay", graded / "grades", "--student", "s1", "--check", "step2.biases")
    assert code == 0
    assert "# s1: step2.biases, case 1 of 7" in output
    assert "result = model_backward(grad_output, activations, params)" in output
    assert "A bias gradient still has rows" in output
    source = output[: output.index("✗")]
    done = subprocess.run([sys.executable, "-c", source], cwd=graded / "s1", capture_output=True, text=True, check=True)
    assert done.stdout.startswith("got      (array(")
    assert "expected (array(" in done.stdout


def test_replay_of_a_check_that_passes_shows_its_last_case(graded):
    code, output = invoke("replay", graded / "grades", "--student", "s1", "--check", "step1.linear")
    assert code == 0
    assert "case 7 of 7" in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("grades", "--student", "s9", "--check", "step1.linear"), "There is no result of 's9'"),
        (("grades", "--student", "s1", "--check", "step1.nothing"), "step1 has step1.linear"),
        (("grades", "--student", "s1", "--check", "nothing"), "no exercise 'nothing'"),
        (("s1", "--student", "s1", "--check", "step1.linear"), "is not the output folder of a run"),
    ],
)
def test_replay_says_what_is_wrong_with_its_arguments(graded, arguments, sentence):
    code, output = invoke("replay", graded / arguments[0], *arguments[1:])
    assert code == cli.USAGE
    assert sentence in output.replace("\n", " ")


def test_every_case_has_a_snippet_that_python_can_read(course):
    cases = FreshCases(course, 3)
    for exercise in course.exercises:
        for group in cases.of(exercise.id).values():
            for case in group[:2]:
                compile(snippet(course, exercise, case), "snippet", "exec")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=3).map(tuple)
            | st.dictionaries(st.text(), inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_literals_are_exact(value):
    assert repr(eval(literal(value), {"np": np, "nan": np.nan, "inf": np.inf})) == repr(value)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_array_literals_are_exact(dtype):
    array = (np.random.default_rng(0).standard_normal((2, 3)) * 3).astype(dtype)
    again = eval(literal(array), {"np": np})
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()
    assert type(eval(literal(array[0, 0]), {"np": np})) is type(array[0, 0])


@pytest.mark.parametrize("form", Format)
def test_report_writes_every_form(graded, tmp_path, form):
    pytest.importorskip("jinja2")
    code, output = invoke("report", graded / "grades", "--format", form, "--output", tmp_path)
    assert code == 0
    assert Path(output.splitlines()[0]).exists()


def test_report_applies_the_overrides_of_today(graded, tmp_path):
    overrides = graded / "grades" / "overrides.csv"
    overrides.write_text(
        f"student,exercise,points,reason\ns2,step6,{STEP6.points},an oral examination\n", encoding="utf-8"
    )
    try:
        assert invoke("report", graded / "grades", "--format", "csv", "--output", tmp_path)[0] == 0
        rows = list(csv.DictReader((tmp_path / "grades.csv").read_text(encoding="utf-8-sig").splitlines()))
        assert any("an oral examination" in value for row in rows for value in row.values() if value)
    finally:
        overrides.unlink()


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("s1,step99,1,because", "line 2: there is no exercise 'step99'"),
        (f"s1,step6,{STEP6.points + 1},because", f"line 2: points must be a whole number up to {STEP6.points}"),
        ("s1,step6,-1,because", "line 2: points must be a whole number"),
        ("s1,step6,1,", "line 2: give a reason"),
    ],
)
def test_a_wrong_override_is_named_by_its_line(graded, row, sentence):
    overrides = graded / "grades" / "overrides.csv"
    overrides.write_text(f"student,exercise,points,reason\n{row}\n", encoding="utf-8")
    try:
        code, output = invoke("report", graded / "grades", "--format", "csv")
        assert code == cli.USAGE
        assert sentence in output.replace("\n", " ")
    finally:
        overrides.unlink()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,path\nx,y\n", "must name the column id and may name name, path, email"),
        ("id,name,path\n1,a,x\n1,b,y\n", "line 3: the id is there twice"),
        ("id,name,path\n,a,x\n", "line 2: the id is missing"),
    ],
)
def test_a_wrong_roster_gets_a_sentence(graded, tmp_path, text, sentence):
    (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
    code, output = invoke("run", graded / "s1", "--roster", tmp_path / "roster.csv", "--output", tmp_path / "g")
    assert code == cli.USAGE
    assert sentence in output.replace("\n", " ")


def test_export_builds_an_upload_for_gradescope(tmp_path):
    code, output = invoke("export", "gradescope", tmp_path / "upload")
    assert code == 0
    assert Path(output.strip()).exists()


def test_doctor_says_what_is_there_and_what_to_do(course, monkeypatch):
    code, output = invoke("doctor")
    assert code == 0
    assert "Python" in output
    assert "'torch'" in output
    assert "exercise5" in output
    monkeypatch.setattr(doctor, "detect", lambda: Isolation("none", detail="only on Linux"))
    sentences = [finding.sentence for finding in doctor.examine(course) if not finding.fine]
    assert any("cannot be isolated" in sentence for sentence in sentences)
    monkeypatch.setattr(doctor, "detect", lambda: Isolation("landlock", ("landlock-7",), "bubblewrap is not installed"))
    assert any("apt-get install bubblewrap" in finding.advice for finding in doctor.examine(course)) or any(
        "does not work here" in finding.advice for finding in doctor.examine(course)
    )


def test_without_isolation_a_run_needs_consent(graded, tmp_path, monkeypatch):
    from grader.classroom import run

    monkeypatch.setattr(run, "detect", lambda: Isolation("none", detail="only on Linux"))
    code, output = invoke("run", graded / "s1", "--output", tmp_path / "g")
    assert code == cli.USAGE
    assert "--allow-unisolated" in output.replace("\n", "")
    assert not (tmp_path / "g").exists()
    code, output = invoke("run", graded / "s1", "--output", tmp_path / "g", "--allow-unisolated")
    assert code == 0
    assert "NOT ISOLATED" in output
    assert json.loads((tmp_path / "g" / "results.json").read_text(encoding="utf-8"))["isolation"] == "none"

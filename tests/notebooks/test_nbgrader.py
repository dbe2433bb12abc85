"""A real nbgrader, in an environment of its own, takes the notebooks as they are and gives the same points."""

import copy
import json
import os
import subprocess
import venv
from pathlib import Path

import nbformat
import pytest
from notebook_tools import FOLDER, ROOT, can_run, filled_in, functions_of, prompt, with_helpers

from grader.author.check import AuthorCheck
from grader.author.release import release
from lesson.course import load_course

pytestmark = pytest.mark.slow
COURSE = load_course()
TOPICS = [topic.id for topic in COURSE.topics if can_run(topic.id)]

_GRADES = """
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps({
        f"{submission.student.id}/{notebook.name}": {
            grade.name: [grade.score, grade.max_score] for grade in notebook.grades
        }
        for submission in book.assignment_submissions("checkpointing")
        for notebook in submission.notebooks
    }))
"""


def answers_of(student: str, topic: str) -> dict[str, str] | None:
    """Return what a student has written into a notebook; None for all of the reference."""
    reference = with_helpers(functions_of((ROOT / "solutions" / f"{topic}.py").read_text(encoding="utf-8")))
    match student:
        case "reference":
            return reference
        case "wrong":
            swaps = {"model_backward": (".sum(axis=0)", ".mean(axis=0)"), "should_recompute": ("100e6", "100e7")}
            return {
                name: text.replace(*swaps.get(name, ("", "")))
                for name, text in reference.items()
                if name != "optimal_segment"
            }
    return {}


@pytest.fixture(scope="module")
def course_folder(tmp_path_factory):
    """An nbgrader course in which everything has been graded; its folder and the Python that has nbgrader."""
    folder = tmp_path_factory.mktemp("nbgrader")
    wheel = release(ROOT, folder / "students", COURSE)
    python = os.environ.get("GRADER_NBGRADER_PYTHON", "")
    if not python:
        venv.create(folder / "env", with_pip=True)
        python = str(folder / "env" / "bin" / "python")
    needed = ["nbgrader>=0.9", "matplotlib", "ipywidgets"]
    command = [python, "-m", "pip", "install", "-q", *needed, str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        pytest.skip(f"nbgrader cannot be installed here: {done.stderr[-300:]}")
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", str(wheel)], check=True)
    course = folder / "course"
    source = course / "source" / "checkpointing"
    source.mkdir(parents=True)
    for topic in TOPICS:
        (source / f"{topic}.ipynb").write_bytes((FOLDER / f"{topic}.ipynb").read_bytes())
    (course / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "c"\n')
    nbgrader(python, course, "generate_assignment", "checkpointing", "--create")
    for student in ("reference", "wrong", "untouched"):
        handed_in = course / "submitted" / student / "checkpointing"
        handed_in.mkdir(parents=True)
        for topic in TOPICS:
            given = nbformat.read(course / "release" / "checkpointing" / f"{topic}.ipynb", as_version=4)
            nbformat.write(answered(given, answers_of(student, topic)), handed_in / f"{topic}.ipynb")
    nbgrader(python, course, "autograde", "checkpointing", "--create")
    return course, python


def nbgrader(python: str, course: Path, *arguments: str) -> None:
    environment = {**os.environ, "HOME": str(course.parent), "PATH": f"{Path(python).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [python, "-m", "nbgrader", *arguments],
        cwd=course,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def answered(notebook, answers):
    """Fill in a notebook as a student does who got it from nbgrader, by its names of cells."""
    filled = copy.deepcopy(notebook)
    for cell in filled.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "").partition("-")[2]
        if name in COURSE.functions and name in answers:
            cell.source = answers[name]
        if cell.get("id") == "prompt-string" and answers:
            cell.source = f'POLICY_PROMPT = r"""{prompt()}"""'
    return filled


def test_the_students_version_has_stubs_and_checks(course_folder):
    course, _python = course_folder
    for topic in TOPICS:
        cells = nbformat.read(course / "release" / "checkpointing" / f"{topic}.ipynb", as_version=4).cells
        sources = {cell.metadata.nbgrader.grade_id: cell.source for cell in cells if "nbgrader" in cell.metadata}
        for exercise in COURSE.of_topic(topic):
            assert sources[f"{exercise.id}-check"] == f'check("{exercise.id}").points'
            for name in exercise.functions:
                source = sources[f"{exercise.id}-{name}"]
                assert f"def {name}(" in source
                assert '"""' in source
                assert "raise NotImplementedError" in source
                assert "SOLUTION" not in source


def test_nbgrader_gives_the_points_that_the_grader_gives(course_folder):
    course, python = course_folder
    done = subprocess.run([python, "-c", _GRADES], cwd=course, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    checks = AuthorCheck(ROOT, COURSE)
    for student in ("reference", "wrong", "untouched"):
        files = {
            f"{topic}.ipynb": nbformat.writes(filled_in(topic, COURSE, answers_of(student, topic))).encode()
            for topic in TOPICS
        }
        ours = {result.exercise.id: result for result in checks.grade_files(files)}
        for topic in TOPICS:
            theirs = found[f"{student}/{topic}"]
            for exercise in COURSE.of_topic(topic):
                score, possible = theirs[f"{exercise.id}-check"]
                assert possible == exercise.points
                if not ours[exercise.id].note:  # consequential credit is the one thing that nbgrader does not have
                    assert score == ours[exercise.id].points, (student, exercise.id)
    totals = {
        student: sum(score for topic in TOPICS for score, _possible in found[f"{student}/{topic}"].values())
        for student in ("reference", "wrong", "untouched")
    }
    assert totals["reference"] == sum(exercise.points for topic in TOPICS for exercise in COURSE.of_topic(topic))
    assert 0 < totals["wrong"] < totals["reference"]
    assert totals["untouched"] == 0

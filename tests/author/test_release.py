"""What students get answers nothing, and is all that they need."""

import ast
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest
from notebook_tools import ROOT, functions_of

from grader.author.release import ReleaseError, release
from lesson.course import load_course

COURSE = load_course()


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / "students"
    return folder, release(ROOT, folder, COURSE)


def everything(folder: Path):
    """Yield name and bytes of every file, those inside of archives too."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    yield f"{path.name}/{name}", archive.read(name)
        elif path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def canaries():
    """Lines of the reference that nobody writes by chance; the last hints come near to some, and are meant to."""
    hints = " ".join(hint for exercise in COURSE.exercises for hint in exercise.hints)
    for topic in COURSE.topics:
        source = (ROOT / "solutions" / f"{topic.id}.py").read_text(encoding="utf-8")
        graded = {name for exercise in COURSE.of_topic(topic.id) for name in exercise.functions}
        for name, text in functions_of(source).items():
            if name in graded or name.startswith("_"):
                body = ast.parse(text).body[0].body[1:]
                first = body[0].lineno - 1
                for line in text.splitlines()[first:]:
                    if len(line.strip()) >= 32 and line.strip() not in hints:
                        yield line.strip()


def test_no_line_of_a_solution_is_in_it(released):
    folder, _wheel = released
    lines = list(canaries())
    assert len(lines) > 20
    for name, data in everything(folder):
        text = data.decode("utf-8", "replace").replace('\\"', '"')
        assert [line for line in lines if line in text] == [], name


def test_it_holds_notebooks_skeleton_wheel_and_a_readme_and_nothing_else(released):
    folder, wheel = released
    assert {path.name for path in folder.iterdir()} == {
        "README.md",
        "LICENSE",
        "notebooks",
        "skeleton",
        "outputs",
        wheel.name,
    }
    assert not any(path.name.startswith("prompt") for path in (folder / "outputs").iterdir())
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert wheel.name in readme
    assert "{" not in readme
    names = {name.partition("/")[2] for name, _data in everything(folder) if name.startswith(wheel.name)}
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {
        "grader",
        "lesson",
        "student_template",
    }
    assert {f"grader/cases/public/{exercise.id}.npz" for exercise in COURSE.exercises} <= names
    secret = ("drawing", "fresh", "author", "wrong_answers", "right_answers", "solutions")
    assert [name for name in names if any(word in name for word in secret)] == []
    assert wheel.stat().st_size < 3_000_000


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "work.txt").write_text("mine")
    with pytest.raises(ReleaseError, match="exists already"):
        release(ROOT, tmp_path, COURSE)


@pytest.mark.slow
def test_a_student_can_work_with_it(released, tmp_path):
    _folder, wheel = released
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", str(wheel)], check=False, capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        pytest.skip(f"no packages can be installed here: {done.stderr[-300:]}")

    def call(*command: str):
        return subprocess.run(
            [python, *command], check=False, capture_output=True, text=True, cwd=tmp_path, timeout=120
        )

    answer = (ROOT / "solutions" / "recompute.py").read_text(encoding="utf-8")
    (tmp_path / "recompute.py").write_text(answer)
    points = load_course().exercise("step3").points
    checked = call("-m", "grader", "check", "recompute.py", "--step", "step3")
    assert (checked.returncode, f"{points}/{points}" in checked.stdout) == (0, True), checked.stdout + checked.stderr
    in_cell = call("-c", "from recompute import *\nfrom grader.notebook import check\nprint(check(3).points)")
    assert (in_cell.stdout, in_cell.stderr) == (f"{points}\n", "")
    refused = call("-m", "grader", "run", "recompute.py", "--allow-unisolated")
    assert refused.returncode == 2
    assert "students' edition" in refused.stderr
    assert "clone of the project" in call("-m", "grader", "release", "x").stderr

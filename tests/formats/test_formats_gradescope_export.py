import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from test_formats_gradescope import SCHEMA

from grader.formats import gradescope_export
from grader.formats.gradescope_export import ExportError, export, grade
from grader.isolation.sandbox import Isolation

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def autograder(tmp_path_factory):
    """Gradescope's folder with the upload unpacked in it."""
    base = tmp_path_factory.mktemp("autograder")
    archive = export(base / "upload")
    with zipfile.ZipFile(archive) as upload:
        upload.extractall(base / "source")
    shutil.copyfile(base / "source" / "run_autograder", base / "run_autograder")
    return base


def run_autograder(base, fill):
    """Run what Gradescope runs, with this interpreter in the place of the one that setup.sh installs."""
    shutil.rmtree(base / "submission", ignore_errors=True)
    shutil.rmtree(base / "results", ignore_errors=True)
    fill(base / "submission")
    environment = {
        **os.environ,
        "AUTOGRADER_BASE": str(base),
        "PYTHONPATH": str(base / "source" / "project"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, base / "run_autograder"],
        env=environment,
        cwd=base,
        capture_output=True,
        text=True,
        check=False,
    )
    data = json.loads((base / "results" / "results.json").read_text(encoding="utf-8"))
    Draft202012Validator(SCHEMA).validate(data)
    assert data["stdout_visibility"] == "hidden"
    return done, data


def solutions(folder):
    shutil.copytree(PROJECT / "solutions", folder, ignore=shutil.ignore_patterns("torch_benchmark.py"))


def scattered(folder):
    (folder / "deep").mkdir(parents=True)
    shutil.copyfile(PROJECT / "solutions" / "selective.py", folder / "deep" / "my answer.py")
    (folder / "second.py").write_text("def relu(z):\n    return z * 0 + 1\n")
    (folder / "link.py").symlink_to("second.py")
    os.mkfifo(folder / "pipe")


def empty(folder):
    folder.mkdir()


def test_the_upload_is_complete_and_holds_nothing_else(autograder):
    names = {path.relative_to(autograder / "source").as_posix() for path in (autograder / "source").rglob("*")}
    assert {
        "setup.sh",
        "run_autograder",
        "project/pyproject.toml",
        "project/README.md",
        "project/LICENSE",
        "project/grader/commands/main.py",
        "project/grader/formats/templates/style.css",
        "project/lesson/course.toml",
        "project/solutions/recompute.py",
        "project/student_template/recompute.py",
    } <= names
    assert {name.split("/")[0] for name in names} == {"setup.sh", "run_autograder", "project"}
    assert not any("__pycache__" in name or name.endswith(".pyc") or "/." in name for name in names)
    assert str(PROJECT) not in "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in (autograder / "source").rglob("*")
        if path.is_file()
    )


def test_both_scripts_can_be_run(autograder):
    upload = autograder / "upload"
    with zipfile.ZipFile(upload / "autograder.zip") as archive:
        for name in ("setup.sh", "run_autograder"):
            assert (upload / name).stat().st_mode & stat.S_IXUSR
            assert archive.getinfo(name).external_attr >> 16 & stat.S_IXUSR
    bash = shutil.which("bash")
    if bash:
        subprocess.run([bash, "-n", upload / "setup.sh"], check=True)
    compile((upload / "run_autograder").read_bytes(), "run_autograder", "exec")


def test_run_autograder_grades_a_right_submission_with_the_bundled_code(autograder, full_marks):
    done, data = run_autograder(autograder, solutions)
    assert done.returncode == 0, done.stderr
    assert data["score"] == full_marks
    assert {test["status"] for test in data["tests"]} == {"passed"}
    assert data["extra_data"]["isolation"] in ("bwrap", "landlock", "none")


def test_run_autograder_takes_files_of_any_name_as_one_submission(autograder):
    done, data = run_autograder(autograder, scattered)
    assert done.returncode == 0, done.stderr
    assert data["score"] == sum(test.get("score", 0) for test in data["tests"]) > 0
    relu = next(test for test in data["tests"] if "relu keeps" in test["name"])
    assert relu["status"] == "failed"
    assert "link.py is a symbolic link" in data["output"]


def test_run_autograder_says_that_nothing_was_handed_in(autograder):
    done, data = run_autograder(autograder, empty)
    assert done.returncode == 0, done.stderr
    assert data["score"] == 0
    assert "There is no Python file and no notebook in submission." in data["output"]


def test_when_the_grader_fails_there_is_no_score(tmp_path, monkeypatch):
    (tmp_path / "submission").mkdir()
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert grade(tmp_path) != 0
    data = json.loads((tmp_path / "results" / "results.json").read_text())
    Draft202012Validator(SCHEMA).validate(data)
    assert "score" not in data
    assert "tests" not in data
    assert "no score yet" in data["output"]


@pytest.mark.parametrize(("level", "allowed"), [("none", True), ("landlock", False), ("bwrap", False)])
def test_isolation_is_waived_only_where_there_is_none(tmp_path, monkeypatch, level, allowed):
    (tmp_path / "submission").mkdir()
    commands = []

    def remember(command, check):
        commands.append(command)
        return subprocess.CompletedProcess(command, 4)

    monkeypatch.setattr(gradescope_export, "detect", lambda: Isolation(level))
    monkeypatch.setattr(gradescope_export.subprocess, "run", remember)
    assert grade(tmp_path) == 4
    assert ("--allow-unisolated" in commands[0]) == allowed


def test_a_folder_in_use_is_left_alone(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ExportError, match="exists already"):
        export(tmp_path)
    with pytest.raises(ExportError, match="exists already"):
        export(tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_without_the_sources_a_sentence_says_what_is_needed(tmp_path):
    (tmp_path / "root").mkdir()
    with pytest.raises(ExportError, match=r"grader, .*pyproject.toml, .* not found; this needs a clone"):
        export(tmp_path / "upload", root=tmp_path / "root")
    assert not (tmp_path / "upload").exists()


@pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="needs hatchling to build offline")
def test_setup_can_install_the_bundled_project(autograder, tmp_path):
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            "--wheel-dir",
            tmp_path,
            autograder / "source" / "project",
        ],
        check=True,
        capture_output=True,
    )
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "grader/formats/templates/class.html.j2" in names
    assert "grader/formats/templates/gradescope/run_autograder" in names
    assert "lesson/course.toml" in names

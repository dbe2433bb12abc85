"""The commands as a person runs them."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from grader.classroom import room
from grader.commands import main as cli
from grader.desk import checking
from grader.formats.results_json import SCHEMA_FILE

ROOT = Path(__file__).parents[2]
WRONG = ROOT / "tests" / "wrong_answers"


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run a command in an empty folder; returns its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def command(*arguments):
        result = CliRunner().invoke(cli.app, [str(argument) for argument in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return command


def results(folder=Path("grades")):
    values = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(values, json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))
    return values


@pytest.fixture
def work(tmp_path, command, solutions):
    """A student's folder with everything solved."""
    assert command("new", "work")[0] == 0
    for name, content in solutions.items():
        (tmp_path / "work" / name).write_bytes(content)
    return tmp_path / "work"


def test_the_version_is_that_of_the_package(command, monkeypatch):
    assert command("--version") == (0, f"grader {importlib.metadata.version('checkpointing-course')}\n")

    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    assert command("--version") == (0, "grader of unknown version: the package is not installed\n")


@pytest.mark.parametrize("columns", [80, 120])
def test_help_shows_students_first_and_every_command_in_a_panel(command, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    code, output = command("--help")
    panels = dict(re.findall(r"^╭─ (For \w+) ─+╮\n((?:│.*│\n)+)", output, re.MULTILINE))
    names = {panel: re.findall(r"^│ (\w+) ", text, re.MULTILINE) for panel, text in panels.items()}
    assert code == 0
    assert list(names) == ["For students", "For instructors", "For authors"]
    assert names["For students"] == ["new", "check", "hint"]
    assert "run" in names["For instructors"]
    assert names["For authors"] == ["author"]
    assert "╭─ Commands" not in output
    assert max(map(len, output.splitlines())) <= columns


def test_run_grades_a_submission_and_writes_valid_results(command, course):
    code, output = command("run", ROOT / "solutions", "--seed", 3)
    full = sum(exercise.points for exercise in course.exercises if exercise.can_be_graded_here)
    assert code == 0
    assert f"{full}/{course.points}" in output
    values = results()
    assert values["seed"] == 3
    assert values["submissions"][0]["points"] == full


def test_run_grades_a_class_in_one_call(command, solutions, tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "right").mkdir()
    for name, content in solutions.items():
        (folder / "right" / name).write_bytes(content)
    (folder / "nothing.py").write_text("", encoding="utf-8")
    (folder / "broken.py").write_text("def relu(:", encoding="utf-8")
    (folder / "none.zip").write_text("this is not an archive", encoding="utf-8")
    code, output = command("run", folder, "--jobs", 2, "--fail-under", 50)
    assert code == cli.BELOW_THRESHOLD
    states = {submission["id"]: submission["state"] for submission in results()["submissions"]}
    assert states == {"right": "passed", "nothing": "not attempted", "broken": "error", "none": "ungradable"}
    assert "none.zip is not a ZIP archive" in output


def test_a_class_that_is_complete_and_one_that_is_not_differ_in_the_exit_code(command, tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ana.py").write_bytes((ROOT / "solutions" / "cost_model.py").read_bytes())
    assert command("run", folder)[0] == 0
    (tmp_path / "roster.csv").write_text("id,name\nana,Ana\nben,Ben\n", encoding="utf-8")
    code, output = command("run", folder, "--roster", tmp_path / "roster.csv")
    assert code == cli.INCOMPLETE
    assert "without a submission: ben (Ben)" in output
    assert command("run", folder, "--roster", tmp_path / "roster.csv", "--fail-under", 1)[0] == cli.BELOW_THRESHOLD
    (folder / "eva.rar").write_bytes(b"Rar!")
    code, output = command("run", folder)
    assert code == cli.INCOMPLETE
    assert "eva.rar was not read" in output
    values = json.loads(Path("grades/run.json").read_text(encoding="utf-8"))
    assert values["unmatched"] == []


def test_collect_shows_the_class_and_writes_it_tidily(command, tmp_path, solutions):
    folder = tmp_path / "class"
    folder.mkdir()
    for name, content in solutions.items():
        (folder / f"albaana_LATE_4401_98001_{name}").write_bytes(content)
    (folder / "boerben_4402_98002_hw.rar").write_bytes(b"Rar!")
    (folder / "strange_4403_98003_a.py").write_bytes(b"def relu(x): pass\n")
    (folder / "marks.csv").write_text("", encoding="utf-8")
    (tmp_path / "roster.csv").write_text("id;name\n1;Ana Alba\n2;Ben Boer\n3;Cem Can\n", encoding="utf-8")
    code, output = command("collect", folder, "--roster", tmp_path / "roster.csv", "--output", "tidy")
    assert code == 0
    assert "Canvas: 3 students." in output
    assert "Passed over (not something that is graded): marks.csv." in output
    for words in ("1 +Ana Alba +found, late", "2 +Ben Boer +unreadable", "3 +Cem Can +missing", "strange +unmatched"):
        assert re.search(words, output)
    assert not Path("grades").exists()
    assert sorted(path.name for path in Path("tidy").iterdir()) == ["1", "roster.csv", "strange"]
    assert {path.name: path.read_bytes() for path in Path("tidy/1").iterdir()} == solutions
    assert "2 " in command("collect", "tidy", "--roster", "tidy/roster.csv")[1]
    code, output = command("collect", folder, "--output", "tidy")
    assert code == cli.USAGE
    assert "exists already" in output
    assert command("collect", "nowhere")[0] == cli.USAGE


def test_collect_survives_names_that_no_file_system_takes(command, tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for name in ("ab:c?", "con.", "ana", "ANA", "x" * 200):
            archive.writestr(f"{name}_12_assignsubmission_file_/w<1>.py", "def relu(x): pass\n")
    assert command("collect", tmp_path / "class.zip", "--output", "tidy")[0] == 0
    folders = [path for path in Path("tidy").iterdir() if path.is_dir()]
    assert len(folders) == 5
    assert all([path.name for path in folder.iterdir()] == ["w_1_.py"] for folder in folders)
    assert command("collect", "tidy", "--roster", "tidy/roster.csv")[1].count("found") == 5


def test_replay_finds_a_submission_of_several_files(command, tmp_path, solutions):
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("recompute.py", "cost_model.py"):
        (folder / f"albaana_4401_98001_{name}").write_bytes(solutions[name])
    assert command("run", folder)[0] == 0
    code, output = command("replay", "grades", "--student", "albaana", "--check", "step1.linear")
    assert code == 0
    assert "# albaana: step1.linear" in output
    for path in folder.iterdir():
        path.unlink()
    code, output = command("replay", "grades", "--student", "albaana", "--check", "step1.linear")
    assert code == cli.USAGE
    assert "is not there any more" in output


def test_run_names_a_missing_path(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "grader", "run", "nowhere"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == cli.USAGE
    assert done.stderr == "There is no file or folder nowhere.\n"


def test_run_with_one_missing_path_grades_the_other(command):
    code, _output = command("run", "nowhere.py", ROOT / "solutions")
    assert code == cli.INCOMPLETE
    assert [submission["state"] for submission in results()["submissions"]] == ["ungradable", "passed"]


def test_resume_grades_only_what_is_new(command, course, tmp_path, monkeypatch):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "a.py").write_bytes((ROOT / "solutions" / "cost_model.py").read_bytes())
    (folder / "b.py").write_bytes((ROOT / "solutions" / "selective.py").read_bytes())
    command("run", folder)
    first = results()
    (folder / "b.py").write_text("", encoding="utf-8")
    graded = []

    whole = room.Classroom.grade
    monkeypatch.setattr(
        room.Classroom, "grade", lambda self, submission: graded.append(submission.id) or whole(self, submission)
    )
    code, _output = command("run", folder, "--resume")
    assert code == 0
    assert graded == ["b"]
    second = results()
    assert second["seed"] == first["seed"]
    assert second["submissions"][0] == first["submissions"][0]
    assert second["submissions"][1]["points"] == 0


def test_an_output_folder_of_another_version_is_left_alone(command, tmp_path):
    (tmp_path / "grades").mkdir()
    old = json.dumps({"schema": "checkpointing-course/results/0"})
    (tmp_path / "grades" / "run.json").write_text(old, encoding="utf-8")
    (tmp_path / "grades" / "results.json").write_text("precious", encoding="utf-8")
    code, output = command("run", ROOT / "solutions")
    assert code == cli.USAGE
    assert "another version" in output
    assert (tmp_path / "grades" / "results.json").read_text(encoding="utf-8") == "precious"


def test_a_roster_gives_names_and_shows_who_is_missing(command, tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "x17.py").write_bytes((ROOT / "solutions" / "selective.py").read_bytes())
    (folder / "stray.py").write_text("", encoding="utf-8")
    (tmp_path / "roster.csv").write_text("id,name,path\n007,First Student,x17.py\n008,Second,gone.py\n", "utf-8")
    code, _output = command("run", folder, "--roster", tmp_path / "roster.csv")
    assert code == cli.INCOMPLETE
    found = {s["id"]: (s["name"], s["state"], s["problem"]) for s in results()["submissions"]}
    assert found["007"][0] == "First Student"
    assert found["008"] == ("Second", "ungradable", "No submission was found.")
    assert "stray" in found


def test_overrides_count_and_show(command, course, tmp_path):
    points = course.exercise("step6").points
    (tmp_path / "s1.py").write_bytes((ROOT / "solutions" / "selective.py").read_bytes())
    command("run", tmp_path / "s1.py")
    before = results()["submissions"][0]["points"]
    (tmp_path / "grades" / "overrides.csv").write_text(
        f"student,exercise,points,reason\ns1,step6,{points},handed in on paper\n", encoding="utf-8"
    )
    command("run", tmp_path / "s1.py", "--resume")
    submission = results()["submissions"][0]
    assert submission["points"] == before + points
    assert submission["overrides"] == [{"exercise": "step6", "points": points, "reason": "handed in on paper"}]


def test_check_says_at_once_what_is_right(command, work, course, full_marks):
    code, output = command("check", work)
    assert code == 0
    assert f"{full_marks}/{course.points}" in output


def test_check_says_what_is_wrong_and_why(command, work):
    recompute = work / "recompute.py"
    wrong = (WRONG / "step2" / "bias_gradient_without_sum.py").read_bytes()
    recompute.write_bytes(recompute.read_bytes() + b"\n\n" + wrong)
    code, output = command("check", work, "--step", "step2")
    assert code == cli.NOT_ALL_PASSED
    assert "model_backward(grad_output (5, 4), activations of 4 arrays, params of 3 layers)" in output
    assert "A bias gradient still has rows" in output
    assert "recompute.md#step2" in output
    assert "step3" not in output


def test_check_blocks_a_step_whose_earlier_step_is_wrong(command, work):
    recompute = work / "recompute.py"
    recompute.write_bytes(recompute.read_bytes() + b"\n\ndef linear_forward(x, w, b):\n    return x @ w\n")
    code, output = command("check", work)
    assert code == cli.NOT_ALL_PASSED
    assert "blocked" in output
    assert "Get step1 right first." in output


def test_check_shows_what_was_printed_and_never_a_traceback(command, work):
    (work / "selective.py").write_text(
        "def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):\n"
        "    print('debugging', layer_type)\n    return missing\n",
        encoding="utf-8",
    )
    code, output = command("check", work, "--step", "7")
    assert code == cli.NOT_ALL_PASSED
    assert "debugging attention" in output
    assert "NameError: name 'missing' is not defined in selective.py, line 3" in output
    assert "Traceback" not in output


def test_check_ends_a_loop_that_never_ends(command, work, monkeypatch):
    monkeypatch.setattr(checking, "CALL_SECONDS", 0.3)
    (work / "selective.py").write_text("def should_recompute(*_):\n    while True: pass\n", encoding="utf-8")
    code, output = command("check", work, "--step", "step7")
    assert code == cli.NOT_ALL_PASSED
    assert "timeout" in output


def test_check_of_an_unknown_step_names_the_known_ones(command, work):
    code, output = command("check", work, "--step", "step99")
    assert code == cli.USAGE
    assert "step1" in output


def test_check_of_a_syntax_error_names_the_line(command, work):
    (work / "selective.py").write_text("def should_recompute(a, b, c):\n    return (\n", encoding="utf-8")
    code, output = command("check", work, "--step", "step7")
    assert code == cli.NOT_ALL_PASSED
    assert "selective.py cannot be read as Python, line 2" in output


def test_watch_checks_again_on_save(tmp_path, work):
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "grader", "check", str(work), "--step", "step7", "--watch"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "120"},
    )
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        seen = []
        for line in process.stdout:
            seen.append(line)
            if "Watching" in line and len(seen) < 5:
                (work / "selective.py").write_text("def should_recompute(*_):\n    return None\n", encoding="utf-8")
            if "Nothing was returned" in line:
                break
        assert any("✓ step7" in line for line in seen)
        assert any("✗ step7" in line for line in seen)
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


def test_hint_shows_one_more_at_each_call(command, course):
    hints = course.exercise("step3").hints
    for count in (1, 2, 3, 3):
        code, output = command("hint", "step3")
        assert code == 0
        flat = re.sub(r"\s+", " ", output)
        assert all((hint in flat) == (index < count) for index, hint in enumerate(hints))
    assert "last one" in output


def test_hint_survives_a_damaged_memory(command, tmp_path):
    (tmp_path / ".grader-hints.json").write_text("[1, {", encoding="utf-8")
    assert command("hint", "step1")[0] == 0


def test_new_never_overwrites(command, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "recompute.py").write_text("my work", encoding="utf-8")
    code, output = command("new", "mine")
    assert code == cli.USAGE
    assert "exists already" in output
    assert (tmp_path / "mine" / "recompute.py").read_text(encoding="utf-8") == "my work"


def test_new_gives_a_skeleton_that_is_not_attempted(command, tmp_path):
    command("new", "mine")
    code, output = command("check", "mine")
    assert code == cli.NOT_ALL_PASSED
    assert "not attempted" in output
    assert "failed" not in output


def test_help_imports_nothing_heavy():
    program = (
        "import sys\nfrom grader.commands.main import app\ntry:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'pytest', 'grader.grading', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_a_terminal_is_not_steered_by_a_submission(command, tmp_path):
    (tmp_path / "evil.py").write_text(
        "def optimal_segment(n):\n    raise ValueError('\\x1b]0;owned\\x07\\x1b[2J\\u202e gnp')\n", encoding="utf-8"
    )
    _code, output = command("run", "evil.py")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", output)


def test_a_fault_of_the_grader_is_a_sentence(monkeypatch, capsys):
    def fail():
        raise RuntimeError("no idea")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == cli.INTERNAL
    assert capsys.readouterr().err == "The grader itself failed (RuntimeError: no idea); please report this.\n"

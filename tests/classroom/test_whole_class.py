"""A class graded by several processes, interrupted, resumed, on a cluster, onto a disk that is full."""

import errno
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from grader.classroom import store
from grader.classroom.run import RunOptions, run_class
from grader.commands import main as cli
from grader.formats import writing

ROOT = Path(__file__).parents[2]
MEASURED = ("seconds", "cpu_seconds", "peak_mb")


def load_make_class():
    spec = importlib.util.spec_from_file_location("whole_class", ROOT / "benchmarks" / "whole_class.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make_class


@pytest.fixture
def class_of(tmp_path):
    def class_of(count):
        load_make_class()(tmp_path / "class", count, hostile=False)
        return tmp_path / "class"

    return class_of


def grader(*arguments, cwd, **options):
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def without_times(folder):
    values = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    for submission in values["submissions"]:
        for name in MEASURED:
            del submission[name]
        for check in (check for exercise in submission["exercises"] for check in exercise["checks"]):
            # What came back is told here, and one of the wrong answers reads the real clock.
            if check["feedback"]:
                del check["feedback"]["hidden"]
    return values


def finished(folder):
    return sorted((folder / "submissions").glob("*.json")) if folder.exists() else []


def run(*arguments, cwd):
    process = grader(*arguments, cwd=cwd)
    output, errors = process.communicate(timeout=300)
    return process.returncode, output, errors


def test_results_are_the_same_for_any_number_of_jobs(class_of, tmp_path):
    folder = class_of(10)
    assert run("run", folder, "--seed", 5, "--output", "one", cwd=tmp_path)[0] == 0
    assert run("run", folder, "--seed", 5, "--output", "two", "--jobs", 2, cwd=tmp_path)[0] == 0
    assert without_times(tmp_path / "one") == without_times(tmp_path / "two")


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_stopped(class_of, tmp_path):
    folder = class_of(24)
    code = run("run", folder, "--seed", 5, "--output", "whole", cwd=tmp_path)[0]
    process = grader("run", folder, "--seed", 5, "--output", "halved", cwd=tmp_path, start_new_session=True)
    watchdog = threading.Timer(120, process.kill)
    watchdog.start()
    while len(finished(tmp_path / "halved")) < 6 and process.poll() is None:
        threading.Event().wait(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    watchdog.cancel()
    done = {path: path.stat().st_mtime_ns for path in finished(tmp_path / "halved")}
    assert 6 <= len(done) < 24
    assert run("run", folder, "--output", "halved", "--resume", "--jobs", 2, cwd=tmp_path)[0] == code
    assert without_times(tmp_path / "halved") == without_times(tmp_path / "whole")
    assert {path: path.stat().st_mtime_ns for path in done} == done


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_leaves_a_usable_report(class_of, tmp_path, jobs):
    folder = class_of(30)
    process = grader("run", folder, "--jobs", jobs, cwd=tmp_path)
    watchdog = threading.Timer(120, process.kill)
    watchdog.start()
    while len(finished(tmp_path / "grades")) < 3 and process.poll() is None:
        threading.Event().wait(0.01)
    process.send_signal(signal.SIGINT)
    _output, errors = process.communicate()
    watchdog.cancel()
    assert process.returncode == cli.INTERRUPTED
    assert errors == "Interrupted; --resume goes on where this run stopped.\n"
    assert 3 <= len(without_times(tmp_path / "grades")["submissions"]) < 30


def test_a_full_disk_gets_a_sentence_and_keeps_what_is_finished(class_of, tmp_path, course, monkeypatch):
    from rich.console import Console

    folder = class_of(4)
    options = RunOptions(paths=(folder,), output=tmp_path / "grades", seed=5)
    written = []

    def full(path, text):
        written.append(path)
        if len(written) > 3:  # run.json and two submissions fit
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        writing.write_atomically(path, text)

    monkeypatch.setattr(store, "write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        run_class(options, course, Console(quiet=True))
    monkeypatch.undo()
    assert len(finished(tmp_path / "grades")) == 2


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    def parts():
        yield "half"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "results.json").write_text("old", encoding="utf-8")
    with pytest.raises(OSError, match="No space left"):
        writing.write_atomically(tmp_path / "results.json", parts())
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert (tmp_path / "results.json").read_text(encoding="utf-8") == "old"


def test_main_turns_a_full_disk_into_a_sentence(monkeypatch, capsys):
    def full():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "grades")

    monkeypatch.setattr(cli, "app", full)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == cli.INTERNAL
    assert capsys.readouterr().err == "grades: No space left on device.\n"


def test_an_output_folder_that_cannot_be_written_gets_a_sentence(class_of, tmp_path):
    folder = class_of(1)
    (tmp_path / "occupied").write_text("a file", encoding="utf-8")
    code, _output, errors = run("run", folder, "--output", "occupied/grades", cwd=tmp_path)
    assert code == cli.INTERNAL
    assert errors.count("\n") == 1
    assert "Traceback" not in errors


def test_a_grader_error_never_takes_the_place_of_a_score(class_of, tmp_path, monkeypatch, course):
    from rich.console import Console

    from grader.classroom.room import Classroom

    folder = class_of(1)
    options = RunOptions(paths=(folder,), output=tmp_path / "grades", seed=5)
    first = run_class(options, course, Console(quiet=True)).results.submissions[0]

    def fail(self, submission):
        raise RuntimeError("broken")

    monkeypatch.setattr(Classroom, "grade", fail)
    second = run_class(options, course, Console(quiet=True)).results.submissions[0]
    assert first.points is not None
    assert second.points == first.points


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("distributed"), reason="needs the extra 'cluster'")
@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_results_and_survives_a_killed_worker(class_of, tmp_path):
    folder = class_of(16)
    run("run", folder, "--seed", 5, "--output", "here", cwd=tmp_path)
    processes = []
    try:
        scheduler = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "distributed.cli.dask_scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--no-dashboard",
                "--scheduler-file",
                str(tmp_path / "scheduler.json"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        )
        processes.append(scheduler)
        for _ in range(2):
            processes.append(
                subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "distributed.cli.dask_worker",
                        "--scheduler-file",
                        str(tmp_path / "scheduler.json"),
                        "--nworkers",
                        "1",
                        "--nthreads",
                        "1",
                        "--no-nanny",
                        "--no-dashboard",
                        "--host",
                        "127.0.0.1",
                        "--death-timeout",
                        "60",
                    ],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=tmp_path,
                )
            )
        while not (tmp_path / "scheduler.json").exists():
            threading.Event().wait(0.05)
        address = json.loads((tmp_path / "scheduler.json").read_text(encoding="utf-8"))["address"]
        process = grader("run", folder, "--seed", 5, "--output", "there", "--scheduler", address, cwd=tmp_path)
        watchdog = threading.Timer(200, process.kill)
        watchdog.start()
        while len(finished(tmp_path / "there")) < 3 and process.poll() is None:
            threading.Event().wait(0.02)
        processes[1].kill()
        output, errors = process.communicate()
        watchdog.cancel()
        assert process.returncode == 0, output + errors
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert without_times(tmp_path / "there") == without_times(tmp_path / "here")

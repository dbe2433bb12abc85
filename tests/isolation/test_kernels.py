"""Whole notebooks run in a sandbox, and end when their time is over, whatever they do about it."""

import json
import os
import time
from pathlib import Path

import pytest

from grader.isolation.kernels import Kernels
from grader.isolation.sandbox import detect

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(detect().level != "bwrap", reason="needs bubblewrap"),
]
MARK = "left_by_a_notebook_of_the_tests"


@pytest.fixture(scope="module")
def kernels():
    found = Kernels(detect(), cell_seconds=4, total_seconds=9)
    yield found
    found.close()


def notebook(*cells: str) -> bytes:
    code = [{"cell_type": "code", "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# Work"]}, *code]}).encode()


def shown(executed) -> list[str]:
    """What each code cell showed, as one text."""
    return [
        "\n".join(
            "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") or output.get("evalue", ""))
            for output in cell["outputs"]
        )
        for cell in json.loads(executed.notebook)["cells"]
        if cell["cell_type"] == "code"
    ]


def processes_with(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                found += [entry.name] if mark.encode() in (entry / "cmdline").read_bytes() else []
            except OSError:
                continue
    return found


def test_cells_run_in_order_and_go_on_after_an_error(kernels):
    executed = kernels.run(notebook("x = 1", "1 / 0", "x + 1", "from grader.notebook import check\ncheck(1).points"))
    assert executed.problem == ""
    assert shown(executed) == ["", "division by zero", "2", "0"]


def test_a_cell_that_swallows_interrupts_is_killed_for_good(kernels):
    started = time.monotonic()
    endless = f"""
import signal, subprocess, sys, os
{MARK} = 1
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600) # {MARK}"])
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
    executed = kernels.run(notebook("'before'", endless, "'after'"))
    assert executed.problem.startswith("Stopped: a cell took longer")
    assert shown(executed) == ["'before'", "", ""]
    assert time.monotonic() - started < 60
    for _attempt in range(50):
        left = processes_with(MARK)
        if not left:
            break
        time.sleep(0.1)
    assert left == []


def test_all_cells_together_have_a_deadline(kernels):
    executed = kernels.run(notebook(*["import time\ntime.sleep(2.5)\n'slept'"] * 8))
    assert executed.problem.startswith("Stopped")
    assert 1 <= shown(executed).count("'slept'") <= 4


def test_a_kernel_that_ends_itself_is_told(kernels):
    executed = kernels.run(notebook("'before'", "import os\nos._exit(3)", "'after'"))
    assert executed.problem.startswith("Stopped: the kernel ended")
    assert shown(executed)[0] == "'before'"


def test_a_flood_of_output_is_cut(kernels):
    executed = kernels.run(notebook("while True:\n    print('x' * 100_000)"))
    assert executed.problem.startswith("Stopped")
    assert len(executed.notebook) < 20_000_000


def test_the_disk_cannot_be_filled(kernels):
    fill = "import os\nfor i in range(10**6):\n    open(f'f{i}', 'wb').write(b'x' * 9_000_000)"
    executed = kernels.run(notebook(fill))
    assert executed.problem
    assert not [path for path in Path("/tmp").glob("grader-k-*") if path.is_dir()]


def test_there_is_nothing_to_read_and_nobody_to_talk_to(kernels, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    secret.chmod(0o644)
    cells = [
        f"open({str(secret)!r}).read()",
        "open('/etc/passwd').read()",
        "import os\nos.listdir('/proc')",
        "import solutions",
        "import grader.cases.drawing",
        "import socket\nsocket.create_connection(('1.1.1.1', 53), 2)",
        "import os\n(os.getuid() == 0, sorted(os.environ.get('PATH', '')), os.path.exists('/root/.ssh'))",
        f"open({str(tmp_path / 'new.txt')!r}, 'w')",
        "open('own.txt', 'w').write('x')",
        "!ls",
    ]
    found = shown(kernels.run(notebook(*cells)))
    assert "No such file" in found[0]
    assert "No such file" in found[1]
    assert "No such file" in found[2]
    assert "No module named 'solutions'" in found[3]
    assert "No module named 'grader.cases.drawing'" in found[4]
    assert "unreachable" in found[5].lower() or "refused" in found[5].lower()
    assert found[6].startswith("(False")
    assert "No such file" in found[7] or "Read-only" in found[7]
    assert found[8] == "1"
    assert not (tmp_path / "new.txt").exists()


def test_what_is_not_a_notebook_any_more_does_no_harm(kernels):
    executed = kernels.run(
        json.dumps(
            {
                "nbformat": 4,
                "cells": [
                    3,
                    {"cell_type": "code", "source": ["1\n", None, "+1"]},
                    {"cell_type": "code"},
                    {"cell_type": "raw", "source": "x"},
                ],
            }
        ).encode()
    )
    assert executed.problem == ""
    assert shown(executed) == ["1", ""]

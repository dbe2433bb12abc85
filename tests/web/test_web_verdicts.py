"""Under Pyodide every answer gets the verdict that it gets here, in the same words."""

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from grader.author.answers import read_answers
from grader.desk.browser import Desk
from grader.page.build import python_files
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
PYODIDE = ROOT / "web" / "node_modules" / "pyodide"
# What Python itself says of an error changes from version to version: "min() arg is an empty sequence", say.
MESSAGE = re.compile(r"(It raised \w+): .*?( in \S+, line)", re.DOTALL)
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def everything():
    """Yield name, topic and text of every module there is to grade."""
    for folder in ("solutions", "student_template"):
        for topic in load_course().topics:
            path = ROOT / folder / f"{topic.id}.py"
            yield f"{folder}/{topic.id}", topic.id, path.read_text(encoding="utf-8")
    for folder in ("wrong_answers", "right_answers"):
        for answer in read_answers(ROOT / "tests" / folder, load_course()):
            (content,) = answer.files(ROOT).values()
            yield f"{folder}/{answer.name}", answer.topic, content.decode()


def submissions():
    """Yield a name, an exercise and a module for everything that is graded."""
    for name, topic, text in everything():
        for exercise in load_course().of_topic(topic):
            if not load_course().needs_package(topic):
                yield f"{name}: {exercise.id}", {"exercise": exercise.id, "text": text}


def outline(verdict):
    """Return a verdict without measured and computed numbers and Python's own messages: they differ by version.

    States, points and every word of the grader stay.
    """
    checks = [
        {**check, "rows": [(label, NUMBER.sub("#", MESSAGE.sub(r"\1\2", text))) for label, text in check["rows"]]}
        for check in verdict["checks"]
    ]
    return {**verdict, "checks": checks}


@pytest.mark.slow
def test_the_verdict_under_pyodide_is_the_verdict_here(tmp_path, wheels):
    if not shutil.which("node") or not PYODIDE.is_dir():
        pytest.skip("needs Node.js and `npm ci` in web/")
    named = dict(submissions())
    request = {
        "wheels": [str(path) for path in wheels.glob("*.whl")],
        "files": {name: base64.b64encode(content).decode() for name, content in python_files(ROOT).items()},
        "submissions": list(named.values()),
    }
    (tmp_path / "request.json").write_text(json.dumps(request))
    script = Path(__file__).with_name("verdicts.mjs")
    done = subprocess.run(
        ["node", script, PYODIDE, tmp_path / "request.json"], capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr[:2000]
    there = [json.loads(line)["verdict"] for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(there) == len(named)
    desk = Desk()
    differing = []
    for (name, submission), verdict in zip(named.items(), there, strict=True):
        here = json.loads(desk.check(submission["exercise"], submission["text"], lambda _check: None))
        if json.loads(json.dumps(outline(here))) != json.loads(json.dumps(outline(verdict))):
            differing.append((name, outline(here), outline(verdict)))
    assert differing == []

"""The page in a browser: what a student can do there, and that the class's grader agrees."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from grader.author.answers import read_answers
from grader.desk.browser import Desk
from grader.page.server import SiteServer
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
EXERCISES = [exercise for exercise in COURSE.exercises if not COURSE.needs_package(exercise.topic)]
# Modules that only an instructor has; the quote stands before names in the packed file's index.
SECRETS = ("from solutions", "import solutions", '"solutions/', "FreshCases", "grader.isolation", "grader/isolation")
TOPICS = list(dict.fromkeys(exercise.topic for exercise in EXERCISES))


@pytest.fixture(scope="module")
def address(site):
    with SiteServer(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()


def module_of(topic):
    return (ROOT / "solutions" / f"{topic}.py").read_text(encoding="utf-8")


def wrong_answers():
    """Return a wrong answer for each exercise whose mistake has a name, with what `grader check` says about it."""
    desk = Desk()
    chosen = []
    for exercise in EXERCISES:
        for answer in read_answers(ROOT / "tests" / "wrong_answers", load_course()):
            if answer.says and not answer.alone and {name.partition(".")[0] for name in answer.loses} == {exercise.id}:
                (content,) = answer.files(ROOT).values()
                verdict = json.loads(desk.check(exercise.id, content.decode(), lambda _check: None))
                if {check["state"] for check in verdict["checks"]} == {"not attempted"}:
                    continue  # the page, like the terminal, says that in a word
                sentences = [
                    text
                    for check in verdict["checks"]
                    for label, text in check["rows"]
                    if label in ("called", "likely")
                ]
                chosen.append(
                    {
                        "name": answer.name,
                        "topic": exercise.topic,
                        "id": exercise.id,
                        "text": content.decode(),
                        "sentences": sentences,
                        "states": [check["state"] for check in verdict["checks"]],
                    }
                )
                break
    return chosen


@pytest.mark.slow
def test_a_student_can_do_everything_on_the_page(tmp_path, address):
    if not Path(os.environ.get("CHROMIUM", "/usr/bin/chromium")).exists():
        pytest.skip("needs Chromium")
    wrong = wrong_answers()
    request = {
        "modules": {topic: module_of(topic) for topic in TOPICS},
        "exercises": [{"topic": e.topic, "id": e.id, "points": e.points, "functions": e.functions} for e in EXERCISES],
        "wrong": wrong,
    }
    (tmp_path / "request.json").write_text(json.dumps(request))
    done = subprocess.run(
        ["npm", "test"],
        cwd=ROOT / "web",
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
        env={**os.environ, "SITE_URL": address, "E2E_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout[-8000:]
    # What was downloaded is what `grader run` takes, and it gives the same points.
    graded = grader("run", tmp_path / "downloads", "--output", tmp_path / "grades", "--allow-unisolated")
    assert graded.returncode == 0, graded.stderr
    points = {entry["id"]: entry["points"] for entry in exercises_of(tmp_path / "grades")}
    assert {exercise.id: points[exercise.id] for exercise in EXERCISES} == {e.id: e.points for e in EXERCISES}
    # And the words are those of `grader check`.
    for answer in wrong:
        path = tmp_path / f"{answer['topic']}.py"
        path.write_text(answer["text"])
        said = grader("check", path, "--step", answer["id"]).stdout
        for sentence in answer["sentences"]:
            assert squeezed(sentence) in squeezed(said)


def grader(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "400"},
    )


def exercises_of(folder):
    (result,) = folder.rglob("results.json")
    return json.loads(result.read_text())["submissions"][0]["exercises"]


def squeezed(text):
    return re.sub(r"\s+", " ", text)


@pytest.mark.slow
def test_nothing_secret_is_in_the_bundle(site):
    """No line of a solution's bodies that its skeleton does not have; no name of what only the instructor has."""
    shipped = shipped_text(site)
    for topic in TOPICS:
        skeleton = (ROOT / "student_template" / f"{topic}.py").read_text(encoding="utf-8")
        # What students are given may look like a line of a solution: the skeleton, and what a plan costs.
        given = skeleton + (ROOT / "lesson" / "policy_cost.py").read_text(encoding="utf-8")
        own = {line.strip() for line in module_of(topic).splitlines()} - {line.strip() for line in given.splitlines()}
        telling = {line for line in own if len(line) > 25 and not line.startswith("#")}
        hints = " ".join(hint for exercise in COURSE.of_topic(topic) for hint in exercise.hints)
        assert [line for line in telling if line in shipped and line not in hints] == []
    for secret in SECRETS:
        assert secret not in shipped, secret


def shipped_text(site):
    """Return all text of the site, what is compressed included."""
    import gzip
    import io
    import zipfile

    parts = []
    for path in site.rglob("*"):
        if path.suffix == ".bin":
            parts.append(gzip.decompress(path.read_bytes()).decode("latin-1"))
        elif path.suffix == ".zip":
            with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
                parts += [archive.read(name).decode("latin-1") for name in archive.namelist()]
        elif path.is_file():
            parts.append(path.read_text(encoding="latin-1"))
    return "\n".join(parts)


def test_the_build_says_what_is_missing(monkeypatch, tmp_path):
    from grader.page.build import Unbuildable, build_site

    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(Unbuildable, match=r"needs npm"):
        build_site(ROOT, COURSE, tmp_path / "site", None, lambda _doing: None)

"""What students get: notebooks, skeleton, and a wheel of the lesson and the grader without anything that answers."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from grader.students_edition import copy_edition
from lesson.course import Course

_PACKAGES = 'packages = ["grader", "lesson", "solutions", "student_template"]'
# What the page about PyTorch refers to. The prompt beside them is an answer.
_MEASURED = ("torch_benchmark.json", "torch_benchmark.svg", "planner_against_torch.md")
_STUDENT_PACKAGES = 'packages = ["grader", "lesson", "student_template"]'


class ReleaseError(RuntimeError):
    """A release that cannot be made; the text says why."""


def release(root: Path, folder: Path, course: Course) -> Path:
    """Write what students get into a folder.

    Parameters
    ----------
    root
        The root of a clone of the project.
    folder
        New or empty.

    Returns
    -------
    Path
        The wheel.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ReleaseError(f"{folder} exists already; name a new folder, so that nothing is overwritten.")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(root / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    (folder / "skeleton").mkdir()
    for topic in course.topics:
        shutil.copy(root / "student_template" / f"{topic.id}.py", folder / "skeleton")
    (folder / "outputs").mkdir()
    for name in _MEASURED:
        shutil.copy(root / "outputs" / name, folder / "outputs")
    shutil.copy(root / "LICENSE", folder)
    readme = (Path(__file__).with_name("students_readme.md")).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch)
        _students_source(root, source)
        (source / "README.md").write_text(f"# {course.title}\n", encoding="utf-8")
        wheel = _wheel(source, folder)
    first = course.exercises[0]
    languages = sorted(path.name for path in (folder / "notebooks").iterdir())
    text = readme.format(
        title=course.title,
        wheel=wheel.name,
        first=first.topic,
        step=first.id,
        language="en" if "en" in languages else languages[0],
    )
    (folder / "README.md").write_text(text, encoding="utf-8")
    return wheel


def _students_source(root: Path, target: Path) -> None:
    """Copy what goes into the students' wheel."""
    copy_edition(root, target)
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    if _PACKAGES not in project:
        raise ReleaseError("pyproject.toml lists its packages in another way than the release expects.")
    (target / "pyproject.toml").write_text(project.replace(_PACKAGES, _STUDENT_PACKAGES), encoding="utf-8")
    shutil.copy(root / "LICENSE", target)


def _wheel(source: Path, folder: Path) -> Path:
    try:
        from hatchling.builders.wheel import WheelBuilder
    except ImportError:
        raise ReleaseError("A release needs hatchling: pip install 'checkpointing-course[instructor]'.") from None
    return Path(next(WheelBuilder(str(source)).build(directory=str(folder), versions=["standard"])))

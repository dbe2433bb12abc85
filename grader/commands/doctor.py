"""`grader doctor`: what this machine offers, and what to do about what is missing."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from grader.isolation.sandbox import detect
from lesson.course import Course

# What each extra brings, and what it is for; an extra for exercises is named like the package that they require.
_EXTRAS = {
    "instructor": (("jinja2",), "HTML reports"),
    "cluster": (("distributed",), "grading on a Dask cluster"),
    "dev": (("hypothesis", "mypy", "ruff", "babel"), "working on the course itself"),
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `advice` is empty when nothing needs to be done."""

    fine: bool
    sentence: str
    advice: str = ""


def examine(course: Course) -> Iterator[Finding]:
    """Yield what was found, the most important first."""
    yield Finding(True, f"Python {platform.python_version()} on {platform.system()} {platform.machine()}.")
    isolation = detect()
    if isolation.level == "none":
        advice = "Grade on Linux: there, `apt-get install bubblewrap` or a kernel with Landlock (5.13 or newer)."
        reason = isolation.detail or "nothing was found"
        yield Finding(False, f"Student code cannot be isolated here: {reason}.", advice)
    else:
        yield Finding(True, f"Student code is isolated by {', '.join(isolation.layers)}.")
        if isolation.level != "bwrap":
            advice = "`apt-get install bubblewrap` adds namespaces and a file system of its own."
            if shutil.which("bwrap"):
                advice = "bubblewrap is installed but does not work here; user namespaces may be switched off."
            yield Finding(False, f"The strongest level is missing ({isolation.detail}).", advice)
    for extra, (modules, purpose) in {**_EXTRAS, **_extras_of(course)}.items():
        missing = [name for name in modules if importlib.util.find_spec(name) is None]
        if missing:
            advice = f"In a clone of the project: {sys.executable} -m pip install -e '.[{extra}]' -c constraints.txt"
            yield Finding(False, f"The extra {extra!r} is not installed ({purpose}).", advice)
        else:
            yield Finding(True, f"The extra {extra!r} is installed ({purpose}).")
    if importlib.util.find_spec("solutions") is None:
        yield Finding(False, "The solutions are not installed: `grader check` works, `grader run` does not.")


def _extras_of(course: Course) -> dict[str, tuple[tuple[str, ...], str]]:
    """Return the extras that exercises require."""
    exercises = [exercise for exercise in course.exercises if exercise.requires]
    packages = dict.fromkeys(exercise.requires for exercise in exercises)
    return {
        package: ((package,), ", ".join(exercise.id for exercise in exercises if exercise.requires == package))
        for package in packages
    }

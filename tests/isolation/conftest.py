"""Run one sealed process per setting, and hand out what it reported."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sealed_attempts

PROJECT = Path(__file__).resolve().parents[2]
SITE_PACKAGES = str(Path(importlib.util.find_spec("numpy").origin).parents[1])
NOBODY = 65534
# What a process that is root in a container usually has left.
CONTAINER = (
    "chown,dac_override,fsetid,fowner,mknod,net_raw,setgid,setuid,setfcap,setpcap,"
    "net_bind_service,sys_chroot,kill,audit_write"
)


@dataclass(frozen=True)
class Setting:
    """Who grades, and which level of isolation should come out."""

    name: str
    root: bool
    level: str
    container: bool = False

    @property
    def prefix(self) -> list[str]:
        if not self.container:
            return []
        kept = ",".join(f"+{name}" for name in CONTAINER.split(","))
        return ["setpriv", "--inh-caps=-all", f"--bounding-set=-all,{kept}"]

    @property
    def identity(self) -> dict[str, Any]:
        if self.root or os.geteuid() != 0:
            return {}
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("root-bwrap", root=True, level="bwrap"),
        Setting("root-landlock", root=True, level="landlock"),
        Setting("container", root=True, level="landlock", container=True),
        Setting("user-bwrap", root=False, level="bwrap"),
        Setting("user-landlock", root=False, level="landlock"),
    )
}


@cache
def python_for(setting: Setting) -> str:
    """Return an interpreter that the setting's user can run and that imports numpy, else skip.

    An ordinary user may be unable to read the one that runs the tests (in root's home, say); the system's own
    interpreter will do if it is the same version, since it can import the same numpy.
    """
    same_version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (os.path.realpath(sys.executable), shutil.which(same_version, path=os.defpath)):
        test = f"import sys; sys.path.append({SITE_PACKAGES!r}); import numpy"
        if python and run([python, "-I", "-S", "-c", test], setting).returncode == 0:
            return python
    pytest.skip("no interpreter that an ordinary user could run with numpy")


def run(command: list[str], setting: Setting, text: str = "") -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [*setting.prefix, *command],
            input=text,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            cwd="/",
            env={name: value for name, value in os.environ.items() if name.startswith(("PATH", "OPENBLAS_"))},
            **setting.identity,
        )
    except PermissionError as error:
        return subprocess.CompletedProcess(command, 126, "", str(error))


@cache
def landlock_exists() -> bool:
    return sys.platform == "linux" and ctypes.CDLL(None).syscall(444, None, ctypes.c_long(0), 1) > 0


def skip_unless_possible(setting: Setting) -> None:
    """Skip, visibly, where the machine cannot do it: asked of the machine, not of the code under test."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("only on Linux on x86-64 or aarch64")
    if setting.root and os.geteuid() != 0:
        pytest.skip("needs root")
    if setting.container and shutil.which("setpriv") is None:
        pytest.skip("needs setpriv")
    if setting.level == "landlock" and not landlock_exists():
        pytest.skip("this kernel has no Landlock")
    if setting.level == "bwrap":
        if shutil.which("bwrap") is None:
            pytest.skip("bubblewrap is not installed")
        user = [] if setting.root else ["--unshare-user"]
        trial = run(["bwrap", *user, "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"], setting)
        if trial.returncode != 0:
            pytest.skip(f"bubblewrap does not work here: {trial.stderr.strip()}")


@dataclass(frozen=True)
class Place:
    """A directory that everybody can read, with a copy of what runs in the sandbox and things to attack."""

    directory: Path

    @classmethod
    def make(cls, directory: Path) -> Place:
        directory.chmod(0o755)
        for name in ("isolation/sandbox.py", "worker/sealing.py"):
            target = directory / "worker" / "grader" / name
            target.parent.mkdir(parents=True)
            (target.parent / "__init__.py").touch()
            shutil.copyfile(PROJECT / "grader" / name, target)
        (directory / "worker" / "grader" / "__init__.py").touch()
        shutil.copyfile(Path(__file__).with_name("sealed_attempts.py"), directory / "worker" / "sealed_attempts.py")
        shutil.copyfile("/bin/true", directory / "worker" / "program")
        (directory / "worker" / "program").chmod(0o755)
        for name in ("numpy", "numpy.libs"):
            if os.path.exists(f"{SITE_PACKAGES}/{name}"):
                (directory / "worker" / name).symlink_to(f"{SITE_PACKAGES}/{name}")
        (directory / "secret").write_text("secret")
        (directory / "open").mkdir()
        (directory / "open" / "file").write_text("text")
        for path in directory.rglob("*"):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.name == "program" else 0o644)
        (directory / "open").chmod(0o777)
        (directory / "open" / "file").chmod(0o666)
        return cls(directory)

    def grade(self, setting: Setting, jobs: dict[str, Any], prefer: str | None = None) -> dict[str, Any]:
        """Run the stand-in for the grader, as the setting's user."""
        settings = {
            "prefer": prefer,
            "worker": str(self.directory / "worker"),
            "directory": str(self.directory),
            "project": str(PROJECT),
            "site_packages": SITE_PACKAGES,
            "jobs": jobs,
        }
        program = str(self.directory / "worker" / "sealed_attempts.py")
        done = run([python_for(setting), "-I", "-S", program, "grader"], setting, json.dumps(settings))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def as_user() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs Python code as an ordinary user, and skips where that is not possible."""
    setting = SETTINGS["user-landlock"]

    def start(code: str) -> subprocess.CompletedProcess[str]:
        return run([python_for(setting), "-I", "-S", "-c", code], setting)

    return start


@pytest.fixture
def as_root() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs Python code as root, with all capabilities or a container's."""

    def start(code: str, *, container: bool = False) -> subprocess.CompletedProcess[str]:
        setting = SETTINGS["container" if container else "root-landlock"]
        skip_unless_possible(setting)
        return run([python_for(setting), "-I", "-S", "-c", code], setting)

    return start


@pytest.fixture
def place() -> Iterator[Place]:
    # Not tmp_path, which others cannot reach.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        yield Place.make(Path(directory))


@pytest.fixture(scope="session")
def report() -> Callable[[str], dict[str, Any]]:
    """Return the function that yields a setting's report; each setting runs once."""
    reports: dict[str, dict[str, Any]] = {}

    def get(name: str) -> dict[str, Any]:
        if name not in reports:
            setting = SETTINGS[name]
            skip_unless_possible(setting)
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
                place = Place.make(Path(directory))
                jobs = {
                    "attempts": {"seal": "all"},
                    "landlock_alone": {"seal": "landlock", "names": sealed_attempts.LANDLOCK_ALONE},
                    "seccomp_alone": {"seal": "seccomp", "names": sealed_attempts.SECCOMP_ALONE},
                    # After the others, as it leaves files behind.
                    "control": {"seal": "uid", "names": sealed_attempts.CONTROL},
                    "abort": {"seal": "all", "do": "abort"},
                    "spin": {"seal": "all", "do": "spin", "limits": {"cpu_seconds": 1}},
                    "cost": {"seal": "all", "names": ["collect_garbage"], "times": 20},
                    "last": {"seal": "all", "names": ["collect_garbage"], "linger": True},
                }
                prefer = "landlock" if setting.level == "landlock" and not setting.container else None
                reports[name] = place.grade(setting, jobs, prefer)
        return reports[name]

    return get

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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

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
        trial = run(
            ["bwrap", *user, "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"], setting
        )
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
        shutil.copyfile(
            Path(__file__).with_name("sealed_attempts.py"), directory / "worker" / "sealed_attempts.py"
        )
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
def place() -> Iterator[Place]:
    # Not tmp_path, which others cannot reach.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        yield Place.make(Path(directory))


@pytest.fixture(scope="session")
def report() -> Iterator[Any]:
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
                    "control": {"seal": "uid", "names": CONTROL},
                    "landlock_alone": {"seal": "landlock", "names": LANDLOCK_ALONE},
                    "seccomp_alone": {"seal": "seccomp", "names": SECCOMP_ALONE},
                    "abort": {"seal": "all", "do": "abort"},
                    "spin": {"seal": "all", "do": "spin", "limits": {"cpu_seconds": 1}},
                    "cost": {"seal": "all", "names": ["collect_garbage"], "times": 20},
                    "last": {"seal": "all", "names": ["collect_garbage"], "linger": True},
                }
                prefer = "landlock" if setting.level == "landlock" and not setting.container else None
                reports[name] = place.grade(setting, jobs, prefer)
        return reports[name]

    yield get


# Succeed in a process that is not sealed (outside bubblewrap): else their refusal would prove nothing.
CONTROL = [
    "write_where_others_may",
    "write_tmp",
    "append_to_a_file",
    "truncate_while_opening_to_read",
    "create_while_opening_to_read",
    "open_a_path_only",
    "change_directory",
    "make_a_directory",
    "make_a_fifo",
    "make_a_symbolic_link",
    "read_a_file_that_others_may",
    "read_passwd",
    "list_processes",
    "list_a_directory_that_others_may",
    "socket_internet",
    "socket_datagram",
    "socket_pair",
    "connect_by_tcp",
    "listen_by_tcp",
    "connect_to_an_abstract_socket",
    "connect_to_a_named_socket",
    "set_a_socket_option",
    "ask_who_the_peer_is",
    "fork",
    "spawn",
    "signal_the_group",
    "signal_by_ownership_of_a_descriptor",
    "use_a_descriptor_of_the_zygote",
    "choose_processors",
    "call_memfd_create",
    "call_eventfd",
    "call_timerfd_create",
    "call_personality",
    "call_landlock_create_ruleset",
]
# Refused by Landlock even if the filter of system calls let them pass; from version 6 on, all of them.
LANDLOCK_ALONE = [
    "write_where_others_may",
    "write_tmp",
    "write_worker_directory",
    "append_to_a_file",
    "truncate_a_file",
    "create_while_opening_to_read",
    "remove_a_file",
    "rename_a_file",
    "make_a_directory",
    "make_a_fifo",
    "make_a_symbolic_link",
    "read_a_file_that_others_may",
    "read_by_way_of_an_allowed_directory",
    "read_passwd",
    "read_own_environment",
    "read_memory_of_the_parent",
    "read_program_of_the_parent",
    "read_memory_by_call",
    "trace_the_parent",
    "list_processes",
    "list_a_directory_that_others_may",
    "connect_by_tcp",
    "connect_to_an_abstract_socket",
    "signal_the_parent",
    "become_a_program_beneath_an_allowed_directory",
    "call_mount",
]
# Refused by the filter of system calls even if Landlock let them pass.
SECCOMP_ALONE = [
    "write_where_others_may",
    "write_tmp",
    "append_to_a_file",
    "truncate_a_file",
    "truncate_while_opening_to_read",
    "create_without_a_name",
    "remove_a_file",
    "rename_a_file",
    "change_the_mode",
    "change_the_times",
    "connect_by_tcp",
    "connect_to_an_abstract_socket",
    "signal_the_parent",
    "signal_by_ownership_of_a_descriptor",
    "trace_the_parent",
    "read_memory_by_call",
    "fork",
    "spawn",
]

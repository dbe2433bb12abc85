"""A sealed process can do nothing but compute: tried for each kind of user, with and without bubblewrap."""

from __future__ import annotations

import errno
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sealed_attempts

from grader.isolation import sandbox
from grader.worker import sealing

SETTINGS = ["root-bwrap", "root-landlock", "container", "user-bwrap", "user-landlock"]
# A default run tries the most usual two.
EACH_SETTING = [
    name if name in ("root-bwrap", "user-landlock") else pytest.param(name, marks=pytest.mark.slow) for name in SETTINGS
]
WITHOUT_BWRAP = [name for name in SETTINGS if not name.endswith("bwrap")]
WITH_BWRAP = [name for name in SETTINGS if name.endswith("bwrap")]

REFUSED = {"EPERM", "EACCES", "ENOSYS"}
ABSENT = {"ENOENT", "EROFS", "ECONNREFUSED"}
# Refused by something other than the filter of system calls and Landlock.
REFUSED_OTHERWISE = {
    "allocate_more_than_the_limit": "MemoryError",
    "import_what_is_not_allowed": "ModuleNotFoundError",
    "map_more_than_the_limit": "ENOMEM",
    "open_more_files_than_the_limit": "EMFILE",
    "raise_a_limit": "ValueError: not allowed to raise maximum limit",
    "start_a_bomb_of_threads": "RuntimeError",
    "use_a_descriptor_of_the_zygote": "EBADF",
}
# The first version of Landlock's interface that refuses it; the others are refused by every version.
SINCE_VERSION = {
    "truncate_a_file": 3,
    "connect_by_tcp": 4,
    "connect_to_an_abstract_socket": 6,
    "signal_the_parent": 6,
}


# --- what a sealed process can do -------------------------------------------------------------------


@pytest.mark.parametrize("setting", EACH_SETTING)
@pytest.mark.parametrize("name", sealed_attempts.FORBIDDEN)
def test_a_sealed_process_is_refused(report: Callable[[str], Any], setting: str, name: str) -> None:
    result = report(setting)["attempts"]["results"][name]
    if name in REFUSED_OTHERWISE:
        assert result.startswith(REFUSED_OTHERWISE[name])
    elif setting in WITH_BWRAP and name.startswith(("read_", "list_")):
        assert result in REFUSED | ABSENT
    else:
        assert result in REFUSED


@pytest.mark.parametrize("setting", EACH_SETTING)
@pytest.mark.parametrize("name", sealed_attempts.PERMITTED)
def test_a_sealed_process_may(report: Callable[[str], Any], setting: str, name: str) -> None:
    assert report(setting)["attempts"]["results"][name] == "done"


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_all_layers_are_in_force(report: Callable[[str], Any], setting: str) -> None:
    found = report(setting)
    user, level = setting.split("-") if "-" in setting else ("root", "landlock")
    assert found["level"] == level
    expected = ["rlimits", "landlock", *(["uid"] if user == "root" and os.geteuid() == 0 else []), "seccomp"]
    if not any(layer.startswith("landlock") for layer in found["layers"]):
        expected.remove("landlock")  # with bubblewrap it may be missing
        assert level == "bwrap"
    assert [layer.split("-")[0] for layer in found["attempts"]["layers"]] == expected
    assert found["layers"] == [*(["bwrap"] if level == "bwrap" else []), *found["attempts"]["layers"]]


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_a_sealed_process_is_nobody_special(report: Callable[[str], Any], setting: str) -> None:
    uids, gids = report(setting)["attempts"]["ids"]
    assert len(set(uids)) == len(set(gids)) == 1
    assert 0 not in uids + gids


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_the_zygote_can_kill_and_reap_a_sealed_process(report: Callable[[str], Any], setting: str) -> None:
    assert report(setting)["attempts"]["status"] == -9


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_abort_ends_the_process_with_its_own_signal(report: Callable[[str], Any], setting: str) -> None:
    assert report(setting)["abort"]["status"] == -6


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_processor_time_ends_at_the_limit(report: Callable[[str], Any], setting: str) -> None:
    assert report(setting)["spin"]["status"] == -9
    assert report(setting)["spin"]["took"] < 30


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_no_process_outlives_the_sandbox(report: Callable[[str], Any], setting: str) -> None:
    assert report(setting)["last"]["results"] == {"collect_garbage": "done"}
    assert report(setting)["all_ended"]


@pytest.mark.parametrize("setting", WITH_BWRAP)
def test_nothing_was_written_outside(report: Callable[[str], Any], setting: str) -> None:
    assert report(setting)["left_behind"] == ["file", "socket"]


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_the_zygote_had_no_errors(report: Callable[[str], Any], setting: str) -> None:
    assert report(setting)["errors"] == "hello\n"  # what a child printed


@pytest.mark.parametrize("setting", EACH_SETTING)
def test_sealing_costs_little(report: Callable[[str], Any], setting: str) -> None:
    assert report(setting)["cost"]["sealing"] < 0.05  # about 0.001 when nothing else runs


def test_in_a_container_the_reason_for_the_weaker_level_is_told(report: Callable[[str], Any]) -> None:
    assert report("container")["detail"].startswith("bubblewrap is not installed") or (
        report("container")["detail"].startswith("bwrap: ")
    )


# --- what each layer refuses by itself --------------------------------------------------------------


@pytest.mark.parametrize("setting", WITHOUT_BWRAP)
@pytest.mark.parametrize("name", sealed_attempts.CONTROL)
def test_without_sealing_it_would_succeed(report: Callable[[str], Any], setting: str, name: str) -> None:
    assert report(setting)["control"]["results"][name] == "done"


@pytest.mark.parametrize("setting", WITH_BWRAP)
@pytest.mark.parametrize("name", sealed_attempts.BWRAP_ALONE)
def test_bubblewrap_alone_refuses(report: Callable[[str], Any], setting: str, name: str) -> None:
    assert report(setting)["control"]["results"][name] in ABSENT


@pytest.mark.parametrize("setting", WITHOUT_BWRAP)
@pytest.mark.parametrize("name", sealed_attempts.LANDLOCK_ALONE)
def test_landlock_alone_refuses(report: Callable[[str], Any], setting: str, name: str) -> None:
    version = int(report(setting)["landlock_alone"]["layers"][0].split("-")[1])
    if version < SINCE_VERSION.get(name, 1):
        pytest.skip(f"this kernel has version {version} of Landlock's interface")
    assert report(setting)["landlock_alone"]["results"][name] in REFUSED


@pytest.mark.parametrize("setting", WITHOUT_BWRAP)
@pytest.mark.parametrize("name", sealed_attempts.SECCOMP_ALONE)
def test_the_filter_alone_refuses(report: Callable[[str], Any], setting: str, name: str) -> None:
    assert report(setting)["seccomp_alone"]["results"][name] in REFUSED


# --- users ------------------------------------------------------------------------------------------

IMPORT = "import sys; sys.path.insert(0, {worker!r}); from grader.worker import sealing\n"


@pytest.mark.parametrize("container", [False, True])
def test_root_becomes_a_user_who_still_reads_roots_files(
    place: Any, as_root: Callable[..., Any], container: bool
) -> None:
    closed = place.directory / "closed"
    closed.mkdir(mode=0o700)
    (closed / "file").write_text("text")
    (closed / "file").chmod(0o600)
    code = IMPORT + (
        "import os\n"
        "os.umask(0)\n"
        "assert sealing.restrict_files([{closed!r}])\n"
        "assert sealing.drop_privileges(65534, 65534, files_as_root=True)\n"
        "print(open({closed!r} + '/file').read(), os.getresuid())\n"
        "try: open({closed!r} + '/file', 'w')\n"
        "except PermissionError: print('cannot write')\n"
    )
    done = as_root(code.format(worker=str(place.directory / "worker"), closed=str(closed)), container=container)
    assert done.stdout.splitlines() == ["text (65534, 65534, 65534)", "cannot write"], done.stderr


def test_reading_as_root_does_not_mean_writing_even_without_landlock(place: Any, as_root: Callable[..., Any]) -> None:
    code = IMPORT + (
        "assert sealing.drop_privileges(65534, 65534, files_as_root=True)\n"
        "print(open({secret!r}).read())\n"
        "try: open({secret!r}, 'w')\n"
        "except PermissionError: print('cannot write')\n"
    )
    (place.directory / "secret").chmod(0o600)
    done = as_root(code.format(worker=str(place.directory / "worker"), secret=str(place.directory / "secret")))
    assert done.stdout.splitlines() == ["secret", "cannot write"], done.stderr


def test_without_that_right_roots_files_are_closed(place: Any, as_root: Callable[..., Any]) -> None:
    (place.directory / "secret").chmod(0o600)
    code = IMPORT + "sealing.drop_privileges(65534, 65534)\nopen({secret!r})\n"
    done = as_root(code.format(worker=str(place.directory / "worker"), secret=str(place.directory / "secret")))
    assert "PermissionError" in done.stderr


def test_an_ordinary_user_stays_the_same(place: Any, as_user: Callable[..., Any]) -> None:
    code = IMPORT + (
        "import ctypes, os\n"
        "before = os.getresuid()\n"
        "print(sealing.drop_privileges(1, 1), os.getresuid() == before)\n"
        "print([ctypes.CDLL(None).prctl(option, 0, 0, 0, 0) for option in (3, 39)])\n"  # dumpable, no new rights
    )
    done = as_user(code.format(worker=str(place.directory / "worker")))
    assert done.stdout.splitlines() == ["False True", "[0, 1]"], done.stderr


def test_limits_never_exceed_what_is_in_force(place: Any, as_user: Callable[..., Any]) -> None:
    code = IMPORT + (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 30))\n"
        "sealing.limit_resources(sealing.Limits(memory=2 << 30, cpu_seconds=7))\n"
        "print(resource.getrlimit(resource.RLIMIT_AS) == (1 << 30, 1 << 30))\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU))\n"
    )
    done = as_user(code.format(worker=str(place.directory / "worker")))
    assert done.stdout.splitlines() == ["True", "(7, 7)"], done.stderr


# --- installed packages beside the allowed ones -----------------------------------------------------


@pytest.fixture
def library(place: Any) -> Path:
    """An interpreter's directory as it is without a virtual environment: packages inside the library."""
    library = place.directory / "lib"
    for name in ("python3/json", "python3/site-packages/allowed", "python3/site-packages/solutions"):
        (library / name).mkdir(parents=True)
        (library / name / "code.py").write_text(f"{name}\n")
    (library / "python3" / "site-packages" / "loose.py").write_text("loose\n")
    return library


READ_ALL = (
    "import os\n"
    "for name in ('json', 'site-packages/allowed', 'site-packages/solutions'):\n"
    "    try: print(open({library!r} + '/python3/' + name + '/code.py').read().strip())\n"
    "    except OSError as error: print(type(error).__name__)\n"
    "print(sorted(os.listdir({library!r} + '/python3')))\n"
)


def test_landlock_leaves_out_other_packages(place: Any, library: Path, as_user: Callable[..., Any]) -> None:
    code = IMPORT + "assert sealing.restrict_files([{library!r}, {library!r} + '/python3/site-packages/allowed'])\n"
    if not sealing.landlock_abi():
        pytest.skip("this kernel has no Landlock")
    done = as_user((code + READ_ALL).format(worker=str(place.directory / "worker"), library=str(library)))
    expected = ["python3/json", "python3/site-packages/allowed", "PermissionError", "['json', 'site-packages']"]
    assert done.stdout.splitlines() == expected, done.stderr


def test_bubblewrap_leaves_out_other_packages(library: Path, report: Callable[[str], Any]) -> None:
    report("root-bwrap" if os.geteuid() == 0 else "user-bwrap")  # skips where bubblewrap does not work
    readable = [*sandbox.readable_paths(), str(library), f"{library}/python3/site-packages/allowed"]
    code = READ_ALL + "print(os.listdir({library!r} + '/python3/site-packages'), os.listdir('/'))\n"
    command = sandbox.bwrap_command([*sandbox.python_command(), "-c", code.format(library=str(library))], readable)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stdout.splitlines()
    assert lines[:3] == ["python3/json", "python3/site-packages/allowed", "FileNotFoundError"], done.stderr
    assert lines[4].startswith("['allowed'] ")
    assert "proc" not in lines[4]
    assert "dev" not in lines[4]


def test_linked_packages_can_be_imported(tmp_path: Path) -> None:
    sandbox.link_packages(tmp_path)
    code = "import sys; sys.path = [sys.argv[1], *sys.path[-2:]]; import numpy; print(numpy.__file__)"
    done = subprocess.run(
        [*sandbox.python_command(), "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith(f"{tmp_path}/numpy/")


def test_a_missing_package_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        sandbox.readable_paths(("no_such_package",))


# --- the command ------------------------------------------------------------------------------------


@pytest.mark.parametrize("uid", [0, 1000])
def test_the_command_grants_nothing_else(monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    monkeypatch.setenv("SECRET", "secret")
    command = sandbox.bwrap_command([sys.executable, "-c", ""], sandbox.readable_paths())
    assert not {"--bind", "--dev-bind", "--dev", "--proc", "--share-net"} & set(command)
    assert {"--unshare-net", "--unshare-pid", "--clearenv", "--die-with-parent", "--new-session"} <= set(command)
    assert "SECRET" not in command
    added = [command[i + 1] for i, word in enumerate(command) if word == "--cap-add"]
    assert added == (["CAP_SETUID", "CAP_SETGID", "CAP_KILL"] if uid == 0 else [])
    assert ("--unshare-user" in command) == (uid != 0)
    bound = {command[i + 1] for i, word in enumerate(command) if word == "--ro-bind"}
    assert not any(Path(path).name == "site-packages" for path in bound)
    # The directories above must be open to the user that the worker becomes.
    directories = [i for i, word in enumerate(command) if word in ("--dir", "--tmpfs")]
    assert all(command[i - 2 : i] == ["--perms", "0755"] for i in directories)
    assert command[-4:] == ["--", sys.executable, "-c", ""]


def test_the_environment_holds_numpys_settings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "secret")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "8")
    environment = sandbox.environment()
    assert environment["OPENBLAS_CORETYPE"] == "Haswell"
    assert environment["OPENBLAS_NUM_THREADS"] == environment["OMP_NUM_THREADS"] == "1"
    assert "SECRET" not in environment


# --- choosing a level -------------------------------------------------------------------------------

WORKS = {"layers": ["rlimits", "landlock-7", "seccomp"], "holes": []}


def choose(monkeypatch: pytest.MonkeyPatch, answers: dict[str, Any], prefer: str | None = None) -> sandbox.Isolation:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sandbox, "_attempt", lambda isolation: answers[isolation.level])
    return sandbox.detect.__wrapped__(prefer)


def test_the_strongest_level_that_works_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = choose(monkeypatch, {"bwrap": WORKS, "landlock": WORKS})
    assert found == sandbox.Isolation("bwrap", ("bwrap", "rlimits", "landlock-7", "seccomp"))


@pytest.mark.parametrize("level", ["bwrap", "landlock"])
def test_on_this_machine_what_is_claimed_was_tried(level: str) -> None:
    found = sandbox.detect(level)
    if found.level != level:
        assert f"{level}: " in found.detail or "not installed" in found.detail
    else:
        assert {layer.split("-")[0] for layer in found.layers} >= {"rlimits", "seccomp"}
        assert found.command(["/bin/true"], [])[-1] == "/bin/true"


def test_a_level_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose(monkeypatch, {"bwrap": WORKS, "landlock": WORKS}, "landlock").level == "landlock"
    assert choose(monkeypatch, {}, "none") == sandbox.Isolation("none")
    with pytest.raises(ValueError, match="'chroot'"):
        choose(monkeypatch, {}, "chroot")


@pytest.mark.parametrize(
    ("bwrap", "reason"),
    [
        ({"error": "no namespaces"}, "bwrap: no namespaces"),
        ({**WORKS, "holes": ["fork"]}, "bwrap: not refused: fork"),
        ({"layers": ["rlimits"], "holes": []}, "bwrap: no seccomp"),
    ],
)
def test_a_level_that_leaks_is_not_taken(monkeypatch: pytest.MonkeyPatch, bwrap: Any, reason: str) -> None:
    found = choose(monkeypatch, {"bwrap": bwrap, "landlock": WORKS})
    assert (found.level, found.detail) == ("landlock", reason)


@pytest.mark.parametrize("missing", ["landlock", "seccomp"])
def test_the_weaker_level_needs_both_layers(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    layers = [layer for layer in WORKS["layers"] if not layer.startswith(missing)]
    answers = {"bwrap": {"error": "x"}, "landlock": {"layers": layers, "holes": []}}
    found = choose(monkeypatch, answers)
    assert found.level == "none"
    assert found.detail == f"bwrap: x; landlock: no {missing}"


def test_outside_linux_nothing_is_isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    found = sandbox.detect.__wrapped__()
    assert (found.level, found.layers) == ("none", ())
    assert "only on Linux" in found.detail


def test_root_keeps_its_right_to_read_only_where_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(isolation: sandbox.Isolation) -> dict[str, Any]:
        if isolation.files_as_root:
            return {**WORKS, "layers": ["rlimits", "landlock-7", "uid", "seccomp"]}
        return {"error": "PermissionError"}

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(sandbox, "_attempt", attempt)
    found = sandbox.detect.__wrapped__("landlock")
    assert found.files_as_root
    assert found.plan(["/x"]).files_as_root
    assert found.plan(["/x"]).require == ("landlock", "uid", "seccomp")


def test_a_plan_requires_what_was_found() -> None:
    found = sandbox.Isolation("bwrap", ("bwrap", "rlimits", "landlock-7", "seccomp"))
    plan = found.plan(["/x"], keep=(5,), limits=sealing.Limits(memory=1 << 30))
    assert (plan.require, plan.readable, plan.keep) == (("landlock", "seccomp"), ("/x",), (5,))
    assert plan.limits == sealing.Limits(memory=1 << 30)
    assert sandbox.Isolation("none").plan([]).require == ()


def test_outside_bubblewrap_an_ordinary_users_processes_are_added_to_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox.Isolation("landlock").plan([]).limits.threads > sealing.Limits().threads


def test_the_answer_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.detect.cache_clear()
    assert sandbox.detect("none") is sandbox.detect("none")
    sandbox.detect.cache_clear()


# --- sealing ----------------------------------------------------------------------------------------


def test_a_plan_survives_json() -> None:
    plan = sealing.SealPlan(sealing.Limits(memory=1, threads=3), ("/a", "/b"), (1, 7), 5, 6, True, ("seccomp",))
    assert sealing.SealPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace every layer by one that only writes down that it was applied."""
    done: list[str] = []

    def step(name: str, result: Any) -> None:
        monkeypatch.setattr(sealing, name, lambda *_, **__: (done.append(name), result)[1])

    step("limit_resources", None)
    step("restrict_files", 7)
    step("close_files", None)
    step("drop_privileges", True)
    step("filter_system_calls", True)
    return done


def test_the_layers_are_applied_in_order(steps: list[str]) -> None:
    plan = sealing.SealPlan(require=("uid", "landlock", "seccomp"))
    assert sealing.seal(plan) == ["rlimits", "landlock-7", "uid", "seccomp"]
    order = ["limit_resources", "restrict_files", "close_files", "drop_privileges", "filter_system_calls"]
    assert steps == order


@pytest.mark.parametrize(
    ("function", "layer"),
    [("restrict_files", "landlock"), ("drop_privileges", "uid"), ("filter_system_calls", "seccomp")],
)
def test_a_required_layer_that_is_missing_stops_the_child(
    steps: list[str], monkeypatch: pytest.MonkeyPatch, function: str, layer: str
) -> None:
    monkeypatch.setattr(sealing, function, lambda *_, **__: 0)
    assert layer not in [name.split("-")[0] for name in sealing.seal(sealing.SealPlan())]
    with pytest.raises(sealing.SealError, match=f"not in force: {layer}"):
        sealing.seal(sealing.SealPlan(require=("uid", "landlock", "seccomp")))


def test_root_reads_files_only_beneath_landlock(steps: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(sealing, "drop_privileges", lambda *_, files_as_root: asked.append(files_as_root))
    sealing.seal(sealing.SealPlan(files_as_root=True))
    monkeypatch.setattr(sealing, "restrict_files", lambda _: 0)
    sealing.seal(sealing.SealPlan(files_as_root=True))
    assert asked == [True, False]


def test_where_there_are_no_layers_none_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "_LINUX", False)
    assert sealing.restrict_files(["/"]) == 0
    assert not sealing.filter_system_calls()
    assert not sealing.drop_privileges(1, 1)
    sealing.prepare(sealing.SealPlan())


def test_another_processor_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing.platform, "machine", lambda: "riscv64")
    assert not sealing.filter_system_calls()


def test_descriptors_are_closed_one_range_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[tuple[int, int]] = []
    monkeypatch.setattr(sealing, "_close_range", lambda first, last: closed.append((first, last)))
    sealing.close_files((0, 1, 2, 9, 5))
    assert closed == [(3, 4), (6, 8), (10, 0xFFFF_FFFF)]


@pytest.mark.parametrize("version", range(1, 12))
def test_every_version_of_landlock_gets_attributes_it_knows(version: int) -> None:
    attributes = sealing._ruleset_attributes(version)
    assert len(attributes) == (8 if version < 4 else 16 if version < 6 else 24)
    rights = struct.unpack("=Q", attributes[:8])[0]
    assert rights == (1 << {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16, 8: 16}.get(version, 17)) - 1


# --- the filter of system calls, for both processors ------------------------------------------------

ALLOW = "allow"
MACHINES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}
PID = 4711


def decide(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str:
    """Run the program as the kernel would, and return its verdict."""
    full = [*arguments, *[0xDEAD_BEEF_DEAD_BEEF] * (6 - len(arguments))]
    architecture = MACHINES[machine][1] if architecture is None else architecture
    data = struct.pack("=IIQ6Q", number, architecture, 0, *full)
    program = [*struct.iter_unpack("=HBBI", sealing.filter_program(machine, PID))]
    position, register = 0, 0
    while True:
        operation, if_true, if_false, constant = program[position]
        position += 1
        match operation:
            case 0x20:
                register = struct.unpack_from("=I", data, constant)[0]
            case 0x54:
                register &= constant
            case 0x15:
                position += if_true if register == constant else if_false
            case 0x35:
                position += if_true if register >= constant else if_false
            case 0x06:
                return ALLOW if constant == 0x7FFF_0000 else errno.errorcode[constant & 0xFFFF]
            case _:
                raise AssertionError(f"an instruction that the kernel would not accept: {operation}")


def call(name: str, machine: str) -> int:
    numbers = sealing._ALLOWED.get(name) or sealing._CONDITIONAL[name][0]
    number = numbers[MACHINES[machine][0]]
    assert number is not None
    return number


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "verdict"),
    [
        ("read", (), ALLOW),
        ("openat", (0, 0, os.O_RDONLY), ALLOW),
        ("openat", (0, 0, 1 << 32), ALLOW),  # the kernel does not see the upper half of an int
        *[("openat", (0, 0, flag), "EPERM") for flag in (1, 2, 3, 0x40, 0x200, 0x400, 0x20_0000, 0x40_0000)],
        ("clone", (0x003D_0F00,), ALLOW),  # what the C library asks for when a thread starts
        ("clone", (0x0120_0011,), "EPERM"),  # fork
        ("clone", (0x4111,), "EPERM"),  # vfork
        *[("clone", (0x003D_0F00 | 1 << bit,), "EPERM") for bit in (12, 13, 14, 15, 17, *range(25, 31))],
        ("clone", (0x0001_0000,), "EPERM"),  # a thread that shares no memory
        ("kill", (PID,), ALLOW),
        ("kill", (PID + 1,), "EPERM"),
        ("kill", (0,), "EPERM"),
        ("kill", (0xFFFF_FFFF_FFFF_FFFF,), "EPERM"),
        ("kill", (-PID & 0xFFFF_FFFF,), "EPERM"),
        ("tgkill", (PID, 1, 9), ALLOW),
        ("tgkill", (1, PID, 9), "EPERM"),
        ("fcntl", (3, 4), ALLOW),
        ("fcntl", (3, 8), "EPERM"),
        ("fcntl", (3, 1024), "EPERM"),
        ("ioctl", (3, 0x5421), ALLOW),
        ("ioctl", (3, 0x5412), "EPERM"),
        ("prctl", (15,), ALLOW),
        ("prctl", (1,), "EPERM"),
        ("prctl", (22,), "EPERM"),
        ("prlimit64", (0, 9, 0), ALLOW),
        ("prlimit64", (0, 9, 1), "EPERM"),
        ("prlimit64", (0, 9, 1 << 32), "EPERM"),  # a pointer is compared whole
        ("prlimit64", (5, 9, 0), "EPERM"),
        ("sendto", (3, 0, 0, 0, 0), ALLOW),
        ("sendto", (3, 0, 0, 0, 1 << 40), "EPERM"),
        ("getsockopt", (3, 1, 4), ALLOW),
        ("getsockopt", (3, 1, 17), "EPERM"),
        ("getsockopt", (3, 6, 4), "EPERM"),
    ],
)
def test_the_filter_decides(machine: str, name: str, arguments: tuple[int, ...], verdict: str) -> None:
    assert decide(machine, call(name, machine), *arguments) == verdict


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_refuses_every_other_number(machine: str) -> None:
    column = MACHINES[machine][0]
    known = {numbers[column] for numbers in sealing._ALLOWED.values()}
    known |= {numbers[column] for numbers, _ in sealing._CONDITIONAL.values()}
    verdicts = {number: decide(machine, number) for number in range(600)}
    assert {number for number, verdict in verdicts.items() if verdict == ALLOW} <= known
    assert verdicts[435] == verdicts[437] == "ENOSYS"  # clone3, openat2
    others = {number for number in range(449) if number not in known | {435, 437}}
    assert {verdicts[number] for number in others} == {"EPERM"}
    assert {verdicts[number] for number in range(449, 600)} == {"ENOSYS"}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_refuses_other_architectures(machine: str) -> None:
    read = call("read", machine)
    assert decide(machine, read, architecture=0x4000_0003) == "EPERM"  # 32-bit x86
    assert decide(machine, read | 0x4000_0000) == "ENOSYS"  # x32
    assert decide(machine, 0xFFFF_FFFF) == "ENOSYS"


@pytest.mark.parametrize(
    ("machine", "header", "names"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", {}),
        ("aarch64", "/usr/include/asm-generic/unistd.h", {"newfstatat": "fstatat"}),
    ],
)
def test_the_numbers_are_the_kernels(machine: str, header: str, names: dict[str, str]) -> None:
    if not os.path.exists(header):
        pytest.skip("the kernel's header files are not installed")
    lines = [line.split() for line in Path(header).read_text().splitlines() if line.startswith("#define __NR")]
    official: dict[str, str] = {}
    for _, name, number, *_ in (line for line in lines if len(line) > 2):
        official.setdefault(name.removeprefix("__NR3264_").removeprefix("__NR_"), number)
    column = MACHINES[machine][0]
    calls = {**sealing._ALLOWED, **{name: numbers for name, (numbers, _) in sealing._CONDITIONAL.items()}}
    for name, numbers in {**calls, "clone3": (435, 435), "openat2": (437, 437)}.items():
        if numbers[column] is not None:
            assert official[names.get(name, name)] == str(numbers[column]), name

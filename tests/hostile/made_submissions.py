"""Hostile submissions that are too large or too strange to be kept as files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Part of the name of every file that a submission tries to leave behind.
MARK = "left-by-a-hostile"
# Name, and what it must end with in each exercise that it is graded on.
OUTCOMES = {
    "parser_bomb_of_parentheses": "step7 none error",
    "parser_bomb_of_unary_operators": "step7 none error or crashed or memory",
    "parser_bomb_of_attributes": "step7 none error or crashed or memory",
    "parser_bomb_of_lambdas": "step7 none error or crashed or memory",
    "parser_bomb_of_blocks": "step7 none error",
    "compiler_bomb_of_sums": "step7 none error or crashed or memory",
    "megabyte_on_one_line": "step7 full passed",
    "megabyte_of_direction_marks": "step7 full passed",
    "not_text": "step7 none ungradable",
    "hard_coded_public_cases": "step7 none error",
    "hard_coded_public_numbers": "step4 none error, step5 none error, step6 none error",
    "hard_coded_public_arrays": "step1 none error, step2 none error, step3 none error",
    "ships_a_conftest": "step7 full passed",
    "ships_a_conftest_and_nothing_right": "step7 none failed",
    "file_names_that_steer_the_terminal": "step7 none error",
    "\x1b]0;owned\x07\u202e<img src=x onerror=alert(1)>": "step7 none failed",
    "=cmd|' _C calc'!A0": "step7 full passed",
    "name_that_is_no_text_\udcff\udc80": "step7 none failed",
    "unicode_module_names": "step7 full passed",
    "symbolic_link_to_the_solutions": "step7 none ungradable",
    "symbolic_link_to_a_device": "step7 none ungradable",
    "hard_link_to_the_solutions": "step7 none ungradable",
    "named_pipe": "step7 none ungradable",
    "archive_bomb": "step7 none ungradable",
    "archive_that_points_outside": "step7 none ungradable",
    "archive_with_an_absolute_name": "step7 none ungradable",
    "archive_with_a_symbolic_link": "step7 none ungradable",
}
_RECORDED = {
    "hard_coded_public_cases": "selective",
    "hard_coded_public_numbers": "cost_model",
    "hard_coded_public_arrays": "recompute",
}


def make(project: Path, arena: Path) -> Iterator[tuple[str, Path]]:
    """Make every submission of `OUTCOMES` and yield its name and place."""
    root = arena / "handed-in"
    right = (project / "solutions" / "selective.py").read_bytes()
    for name, files in {**_sources(right), **_folders(right)}.items():
        for file, data in files.items():
            path = root / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        yield name, root / name
    yield from _links(root, arena)
    yield from _archives(root, right)


def _sources(right: bytes) -> dict[str, dict[str, bytes]]:
    blocks = b"".join(b" " * depth + b"if 1:\n" for depth in range(1_000)) + b" " * 1_000 + b"pass"
    before = {
        "parser_bomb_of_parentheses": b"x = " + b"(" * 100_000 + b")" * 100_000,
        "parser_bomb_of_unary_operators": b"x = " + b"-" * 200_000 + b"1",
        "parser_bomb_of_attributes": b"x = a" + b".a" * 150_000,
        "parser_bomb_of_lambdas": b"x = " + b"lambda: " * 50_000 + b"0",
        "parser_bomb_of_blocks": blocks,
        "compiler_bomb_of_sums": b"x = " + b"+".join([b"1"] * 60_000),
        "megabyte_on_one_line": b"x = [" + b"1, " * 350_000 + b"]",
        "megabyte_of_direction_marks": b"#" + "\u202e".encode() * 350_000,
        "not_text": b"\0\xff\xfe",
    }
    sources = {name: {"selective.py": first + b"\n" + right} for name, first in before.items()}
    for name, topic in _RECORDED.items():
        sources[name] = {f"{topic}.py": lookup_of_recorded_cases(topic)}
    return sources


def _folders(right: bytes) -> dict[str, dict[str, bytes]]:
    nothing = b"def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):\n    return None\n"
    taken_over = {
        "conftest.py": b"def pytest_pyfunc_call(pyfuncitem):\n    return True\n",
        "pytest.ini": b"[pytest]\naddopts = --collect-only\n",
        "sitecustomize.py": b"import os\nos._exit(0)\n",
        "numpy.py": b"raise SystemExit\n",
        "pytest.py": b"raise SystemExit\n",
        "grader/__init__.py": b"raise SystemExit\n",
        "grader/results.py": b"raise SystemExit\n",
        "solutions/selective.py": b"raise SystemExit\n",
        "evil.pth": b"import os; os._exit(0)\n",
        "selective.pyc": b"\0\0\0\0",
        "results.json": b'{"score": 100}',
    }
    raising = right.replace(b"match layer_type", b"raise ValueError(__file__)\n    match layer_type")
    return {
        "ships_a_conftest": {**taken_over, "selective.py": right},
        "ships_a_conftest_and_nothing_right": {**taken_over, "selective.py": nothing},
        "file_names_that_steer_the_terminal": {"\x1b]0;owned\x07\u202e<script>alert(1)<\\script>.py": raising},
        "\x1b]0;owned\x07\u202e<img src=x onerror=alert(1)>": {"selective.py": nothing},
        "=cmd|' _C calc'!A0": {"@SUM(A1).py": right},
        "name_that_is_no_text_\udcff\udc80": {"selective_\udcff.py": nothing},
        "unicode_module_names": {"sélectif_中.py": right, "selective.py": "from sélectif_中 import *\n".encode()},
    }


def _links(root: Path, arena: Path) -> Iterator[tuple[str, Path]]:
    for name, target in (
        ("symbolic_link_to_the_solutions", arena / "solutions" / "selective.py"),
        ("symbolic_link_to_a_device", Path("/dev/zero")),
    ):
        (root / name).mkdir()
        (root / name / "selective.py").symlink_to(target)
        yield name, root / name
    name = "hard_link_to_the_solutions"
    (root / name).mkdir()
    (root / name / "selective.py").hardlink_to(arena / "solutions" / "selective.py")
    yield name, root / name
    import os

    (root / "named_pipe").mkdir()
    os.mkfifo(root / "named_pipe" / "selective.py")
    yield "named_pipe", root / "named_pipe"


def _archives(root: Path, right: bytes) -> Iterator[tuple[str, Path]]:
    for name, member, data, mode in (
        ("archive_bomb", "selective.py", b" " * 100_000_000, 0),
        ("archive_that_points_outside", f"../../{MARK}.py", right, 0),
        ("archive_with_an_absolute_name", f"/tmp/{MARK}.py", right, 0),
        ("archive_with_a_symbolic_link", "selective.py", b"/etc/passwd", 0o120777),
    ):
        with zipfile.ZipFile(root / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            information = zipfile.ZipInfo(member)
            information.external_attr = mode << 16
            information.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(information, data)
        yield name, root / f"{name}.zip"


# --- the answers to the recorded cases -----------------------------------------------------------


def lookup_of_recorded_cases(topic: str) -> bytes:
    """Return a submission that knows the answers to the recorded cases of a topic's steps, and nothing else."""
    from grader.cases.recorded import RecordedCases

    lines = [
        "from numpy import array, ndarray",
        "known = {}",
        "def flat(v):",
        "    return [y for x in v for y in flat(x)] if isinstance(v, (list, tuple)) else [v]",
        "def key(name, args):",
        "    return name, repr([(x.dtype.str, x.tolist()) if isinstance(x, ndarray) else x for x in flat(args)])",
    ]
    functions = set()
    cases = RecordedCases()
    for exercise in steps_of(topic):
        for group in cases.of(exercise.id).values():
            for case in group:
                for function, inputs, answer in _questions(case):
                    functions.add(function)
                    lines.append(f"known[key({function!r}, {_literal(inputs)})] = {_literal(answer)}")
    for function in sorted(functions):
        lines.append(f"def {function}(*args): return known[key({function!r}, args)]")
    return "\n".join(lines).encode()


def steps_of(topic: str) -> list[Any]:
    """Return the exercises of a topic that every course has: its steps."""
    from lesson.course import load_course

    return [exercise for exercise in load_course().of_topic(topic) if exercise.id.startswith("step")]


def _questions(case: Any) -> Iterator[tuple[str, list[Any], Any]]:
    """Yield the calls that a case leads to, with their answers, unless they are too large to write down."""
    inputs, answer = dict(case.inputs), case.expected
    if not case.has_answer or _size(list(inputs.values())) > 2_000:
        return
    if case.function == "model_backward_checkpointed":
        x, params, k, grad_output = (inputs[name] for name in ("x", "params", "k", "grad_output"))
        yield "model_forward_checkpointed", [x, params, k], (answer["output"], answer["saved"])
        yield case.function, [grad_output, answer["saved"], params, k], (answer["grad_x"], answer["grads"])
    elif isinstance(answer, list) and case.function == "memory_after_checkpoint":
        yield case.function, list(inputs.values()), answer[0]  # one of several right answers
    else:
        yield case.function, list(inputs.values()), answer


def _literal(value: Any) -> str:
    import numpy as np

    if isinstance(value, np.ndarray):
        return f"array({value.ravel().tolist()!r}, {value.dtype.str!r}).reshape({value.shape})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {_literal(item)}" for name, item in value.items()) + "}"
    return repr(value)


def _size(value: Any) -> int:
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return int(getattr(value, "size", 1))

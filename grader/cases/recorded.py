"""Public cases in `.npz` files, one for each exercise, so that no solution has to be shipped."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.worker.wire import Packer, unpack

PUBLIC_FOLDER = Path(__file__).with_name("public")


class RecordedCases:
    """The cases that come with the course."""

    public = True

    def __init__(self) -> None:
        self.reference: Mapping[str, Callable[..., Any]] = {}

    @functools.cache  # noqa: B019 - one instance for each process
    def of(self, exercise_id: str) -> Mapping[str, list[Case]]:
        """Return the cases of one exercise by the name of their check."""
        return read_cases(PUBLIC_FOLDER / f"{exercise_id}.npz")


def read_cases(path: Path) -> dict[str, list[Case]]:
    """Read cases that `write_cases` has written."""
    with np.load(path, allow_pickle=False) as file:
        arrays = [file[f"array{index}"] for index in range(len(file.files) - 1)]
        tree = json.loads(bytes(file["tree"]))
    return {check: [Case(*case) for case in cases] for check, cases in unpack(tree, arrays).items()}


def write_cases(path: Path, cases: Mapping[str, list[Case]]) -> None:
    """Write cases, values bit by bit."""
    packer = Packer(_refuse)
    tree = packer.pack(
        {
            check: [(case.function, dict(case.inputs), *([case.expected] if case.has_answer else [])) for case in group]
            for check, group in cases.items()
        }
    )
    named = {f"array{index}": array for index, array in enumerate(packer.arrays)}
    text = np.frombuffer(json.dumps(tree).encode(), np.uint8)
    np.savez_compressed(path, tree=text, **named)  # type: ignore[arg-type]


def _refuse(value: object) -> int:
    raise TypeError(f"a case holds a {type(value).__name__}, which is not a plain value")

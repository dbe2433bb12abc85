"""What the tests of notebooks share: fill them in, run them, look at what came out."""

from __future__ import annotations

import ast
import copy
import os
from pathlib import Path
from typing import Any

import nbformat

from lesson.course import load_course

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks" / "en"


def numpy_is_enough(topic: str) -> bool:
    """Whether no exercise of a topic requires another package."""
    return not any(exercise.requires for exercise in load_course().of_topic(topic))


def can_run(topic: str) -> bool:
    """Whether a topic's exercises can be graded here; PyTorch is an extra."""
    return all(exercise.can_be_graded_here for exercise in load_course().of_topic(topic))


def read(topic: str) -> Any:
    return nbformat.read(FOLDER / f"{topic}.ipynb", as_version=4)


def functions_of(source: str) -> dict[str, str]:
    lines = source.splitlines()
    return {
        node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    }


def with_helpers(functions: dict[str, str]) -> dict[str, str]:
    """Return the functions, each behind the private ones that it mentions."""
    helpers = {name: text for name, text in functions.items() if name.startswith("_")}
    return {
        name: "\n\n\n".join([*(helpers[helper] for helper in helpers if helper in text), text])
        for name, text in functions.items()
        if name not in helpers
    }


def filled_in(topic: str, course: Any, answers: dict[str, str] | None = None) -> Any:
    """Return a topic's notebook with answers, by default the solutions, in the place of the stubs."""
    notebook = copy.deepcopy(read(topic))
    if answers is None:
        answers = with_helpers(functions_of((ROOT / "solutions" / f"{topic}.py").read_text(encoding="utf-8")))
    for cell in notebook.cells:
        name = cell.id.partition("-")[2]
        if cell.cell_type == "code" and name in course.functions and name in answers:
            cell.source = answers[name]
        if cell.id == "prompt-string" and answers:
            cell.source = f'POLICY_PROMPT = r"""{prompt()}"""'
    return notebook


def prompt() -> str:
    return (ROOT / "outputs" / "prompt-activation-recompute-policy.md").read_text(encoding="utf-8")


def run(notebook: Any, folder: Path) -> Any:
    """Run a notebook from top to bottom, whatever its cells raise, and return it."""
    from nbclient import NotebookClient

    os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    return client.execute()


def texts(cell: Any) -> str:
    """Return all plain text of a cell's outputs."""
    parts = []
    for output in cell.get("outputs", []):
        parts.append(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
        parts.append("\n".join(output.get("traceback", [])))
    return "\n".join(parts)


def html(cell: Any) -> str:
    return "\n".join(output.get("data", {}).get("text/html", "") for output in cell.get("outputs", []))


def points(notebook: Any) -> dict[str, float]:
    """Return what each check cell ends in, as an autograder reads it."""
    return {
        cell.id.removesuffix("-check"): float(output["data"]["text/plain"])
        for cell in notebook.cells
        if cell.id.endswith("-check")
        for output in cell.outputs
        if output.output_type == "execute_result"
    }

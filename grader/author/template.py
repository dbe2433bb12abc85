"""Turn a reference solution into the skeleton that students fill in."""

from __future__ import annotations

import ast
import itertools

from lesson.course import Course, Topic


def skeleton(source: str, course: Course, topic: Topic) -> str:
    """Return a solution's source with the body of every graded function replaced by one TODO, and so each graded text.

    Private functions belong to the answer and are left out. Signatures, docstrings and everything else that is not
    graded stay as they are.
    """
    text_of = {exercise.text: exercise for exercise in course.of_topic(topic.id) if exercise.text}
    exercise_of = {name: exercise for exercise in course.of_topic(topic.id) for name in exercise.functions}
    lines = source.splitlines()
    found = set()
    for before, node in reversed(list(itertools.pairwise(ast.parse(source).body))):
        if isinstance(node, ast.Assign) and (exercise := text_of.get(ast.unparse(node.targets[0]))):
            comment = f"# TODO {exercise.id}: your text, here or in a file {exercise.text_file}."
            lines[node.lineno - 1 : node.end_lineno] = [comment, f'{exercise.text} = ""']
        if isinstance(node, ast.FunctionDef) and node.name in exercise_of:
            found.add(node.name)
            docstring = node.body[0]
            if ast.get_docstring(node) is None or docstring.end_lineno is None:
                raise ValueError(f"{topic.id}.{node.name} has no docstring to keep")
            todo = [f"    # TODO {exercise_of[node.name].id}: your code.", "    raise NotImplementedError"]
            lines[docstring.end_lineno : node.end_lineno] = todo
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("_"):
            del lines[before.end_lineno : node.end_lineno]
    missing = exercise_of.keys() - found
    if missing:
        raise ValueError(f"solutions/{topic.id}.py lacks {', '.join(sorted(missing))}")
    return "\n".join(lines) + "\n"

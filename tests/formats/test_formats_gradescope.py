import json
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator
from made_runs import (
    HIDDEN,
    MAX_POINTS,
    PRINTED,
    STEP2,
    STEP3,
    everything,
    mixed,
    overridden,
    passed,
    ungradable,
    with_grader_error,
)

from grader.formats import gradescope
from grader.results import State

VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
OUTPUT_FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
# The fields and values of Gradescope's autograder specification.
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number", "minimum": 0},
        "execution_time": {"type": "number", "minimum": 0},
        "output": {"type": "string"},
        "output_format": OUTPUT_FORMAT,
        "test_output_format": OUTPUT_FORMAT,
        "test_name_format": OUTPUT_FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "leaderboard": {"type": "array"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number", "minimum": 0},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "name_format": OUTPUT_FORMAT,
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": OUTPUT_FORMAT,
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": VISIBILITY,
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}


def validated(result):
    data = gradescope.to_dict(result)
    text = json.dumps(data, allow_nan=False)
    Draft202012Validator(SCHEMA).validate(json.loads(text))
    text.encode("ascii")
    return data


@pytest.mark.parametrize("result", everything().submissions, ids=lambda result: ascii(result.id)[:20])
def test_every_result_fits_the_specification_and_hides_what_students_must_not_see(result):
    data = validated(result)
    text = json.dumps(data)
    assert HIDDEN not in text
    assert PRINTED not in text
    assert data["stdout_visibility"] == "hidden"
    assert all(test["visibility"] == "visible" for test in data["tests"])
    strings = [data["output"], *(test["output"] for test in data["tests"]), *(test["name"] for test in data["tests"])]
    assert not any("\x1b" in string or "\0" in string or "\u202e" in string for string in strings)
    assert not any("\ud800" <= character <= "\udfff" for string in strings for character in string)


@pytest.mark.parametrize("result", [passed(), mixed(), ungradable()], ids=lambda result: result.id)
def test_the_scores_of_the_tests_add_up_to_the_score(result):
    data = validated(result)
    assert data["score"] == result.points
    assert sum(test["score"] for test in data["tests"]) == result.points
    assert sum(test["max_score"] for test in data["tests"]) == MAX_POINTS


def test_a_student_reads_state_call_answer_expectation_cause_and_section():
    data = validated(mixed(text="here"))
    test = next(test for test in data["tests"] if test["name"].startswith("step2"))
    assert test["status"] == "failed"
    assert test["number"] == "2.1"
    assert test["tags"] == ["step2", "failed"]
    lines = test["output"].splitlines()
    assert lines == [
        f"failed, 0/{STEP2.checks[0].points}",
        "called: called here",
        "got: got here",
        "expected: expected here",
        "likely: cause here",
        "read: recompute.md#step1",
    ]


def test_a_grader_error_leaves_no_score_anywhere():
    data = validated(with_grader_error())
    assert "score" not in data
    assert not any("score" in test or "max_score" in test for test in data["tests"])
    broken = [test for test in data["tests"] if State.GRADER_ERROR in test["tags"]]
    assert len(broken) == 1
    assert "status" not in broken[0]
    assert "The grader itself failed" in broken[0]["output"]
    assert f"?/{STEP3.checks[1].points}" in broken[0]["output"]
    assert "no score yet" in data["output"]


def test_an_override_is_an_entry_of_its_own_with_its_reason():
    points = STEP3.points - 1
    result = overridden(with_grader_error(), ("step3", points, "It was our fault <b>"))
    data = validated(result)
    assert data["score"] == result.points == MAX_POINTS - 1
    assert sum(test.get("score", 0) for test in data["tests"]) == data["score"]
    assert sum(test.get("max_score", 0) for test in data["tests"]) == MAX_POINTS
    entry = next(test for test in data["tests"] if "instructor" in test["name"])
    assert (entry["score"], entry["max_score"], entry["number"]) == (points, STEP3.points, "3.11")
    said = f"{points}/{STEP3.points} instead of ?/{STEP3.points}"
    assert entry["output"] == f"Points set by the instructor: {said}. Reason: It was our fault <b>"
    assert said in data["output"]


def test_a_problem_with_the_files_is_said_at_the_top():
    assert "There is no Python file in s004.zip." in validated(ungradable())["output"]


def test_consequential_credit_is_said_at_the_top():
    result = passed()
    noted = replace(result.exercises[1], note="step1 was answered by the reference.")
    data = validated(replace(result, exercises=(result.exercises[0], noted, *result.exercises[2:])))
    assert data["output"] == "step2: step1 was answered by the reference."


def test_it_is_written_as_strict_json(tmp_path):
    gradescope.write(mixed(text="lone \ud800"), tmp_path / "results.json")
    assert json.loads((tmp_path / "results.json").read_text())["score"] == mixed().points
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]

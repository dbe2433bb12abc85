import json

import pytest
from jsonschema import Draft202012Validator, ValidationError
from made_runs import HIDDEN, MAX_POINTS, PRINTED, STEP2, everything, mixed, overridden, passed, with_grader_error

from grader.formats import classroom50

TEXT = {"type": "string", "minLength": 1}
WHOLE = {"type": "integer", "minimum": 0}
# The fields of `classroom50/result/v1` that an autograder writes; the runner adds the others.
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema", "score", "max-score", "tests"],
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        "classroom": TEXT,
        "assignment": TEXT,
        "submission": {"type": "string", "pattern": "^submit/"},
        "commit": TEXT,
        "release": TEXT,
        "review": TEXT,
        "score": WHOLE,
        "max-score": WHOLE,
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["test-name", "passed", "score", "max-score"],
                "additionalProperties": False,
                "properties": {"test-name": TEXT, "passed": {"type": "boolean"}, "score": WHOLE, "max-score": WHOLE},
            },
        },
    },
}
RUNNER = {
    "CLASSROOM": "c1",
    "ASSIGNMENT": "a1",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit",
    "RELEASE_URL": "https://example.org/release",
    "REVIEW_URL": "https://example.org/review",
    "HOME": "/",
}


def validated(result, environment=None):
    data = classroom50.to_dict(result, environment)
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(data, allow_nan=False)))
    assert data["score"] == sum(test["score"] for test in data["tests"]) == result.points
    assert data["max-score"] == sum(test["max-score"] for test in data["tests"]) == MAX_POINTS
    assert all(test["score"] <= test["max-score"] for test in data["tests"])
    return data


@pytest.mark.parametrize(
    "result", [r for r in everything().submissions if r.points is not None], ids=lambda result: ascii(result.id)[:20]
)
def test_every_scored_result_fits_the_schema(result):
    text = json.dumps(validated(result))
    assert HIDDEN not in text
    assert PRINTED not in text


def test_the_fields_of_the_runner_are_passed_on():
    data = validated(passed(), RUNNER)
    assert data["classroom"] == "c1"
    assert data["submission"].startswith("submit/")
    assert "classroom" not in validated(passed(), {"CLASSROOM": ""})


def test_a_grader_error_is_null_and_so_refused():
    data = classroom50.to_dict(with_grader_error())
    assert data["score"] is None
    assert [test["score"] for test in data["tests"]].count(None) == 1
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate(data)


def test_an_override_takes_the_place_of_the_checks_and_says_why():
    data = validated(overridden(mixed(), ("step2", STEP2.points - 1, "Nearly right.")))
    [test] = [test for test in data["tests"] if test["test-name"].startswith("step2")]
    assert test["score"] == STEP2.points - 1
    assert test["passed"] is False
    assert f"{STEP2.points - 1}/{STEP2.points} instead of 0/{STEP2.points}. Reason: Nearly right." in test["test-name"]


def test_it_is_written_as_strict_json(tmp_path):
    classroom50.write(passed(), tmp_path / "result.json", RUNNER)
    data = json.loads((tmp_path / "result.json").read_text())
    Draft202012Validator(SCHEMA).validate(data)
    assert list(data["tests"][0]) == ["test-name", "passed", "score", "max-score"]

import re
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_runs import (
    COURSE,
    HIDDEN,
    MAX_POINTS,
    PRINTED,
    SEED,
    STEP2,
    STEP3,
    everything,
    mixed,
    overridden,
    passed,
    run_of,
    with_grader_error,
)

from grader.formats import junit

# Jenkins' junit-10.xsd as a table: element -> (required attributes, other attributes, children, text).
FIELDS = {
    "testsuites": ((), ("name", "time", "tests", "failures", "errors"), ("testsuite",), False),
    "testsuite": (
        ("name", "tests", "failures", "errors"),
        ("group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"),
        ("testsuite", "properties", "testcase", "system-out", "system-err"),
        False,
    ),
    "properties": ((), (), ("property",), False),
    "property": (("name", "value"), (), (), False),
    "testcase": (
        ("name",),
        ("time", "classname", "group"),
        ("skipped", "error", "failure", "system-out", "system-err"),
        False,
    ),
    "failure": ((), ("type", "message"), (), True),
    "error": ((), ("type", "message"), (), True),
    "skipped": ((), ("type", "message"), (), True),
    "system-out": ((), (), (), True),
    "system-err": ((), (), (), True),
}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def check(element):
    required, optional, children, has_text = FIELDS[element.tag]
    assert set(required) <= set(element.attrib) <= {*required, *optional}, element.tag
    assert {child.tag for child in element} <= set(children), element.tag
    assert has_text or not (element.text or "").strip()
    assert not (element.tail or "").strip()
    if "time" in element.attrib:
        assert TIME.fullmatch(element.attrib["time"])
    for child in element:
        check(child)


def written(run, folder):
    path = folder / "junit.xml"
    junit.write(run, path)
    root = ElementTree.fromstring(path.read_bytes())
    assert root.tag == "testsuites"
    check(root)
    return root


def properties(suite):
    return {item.get("name"): item.get("value") for item in suite.find("properties")}


def test_a_run_with_everything_fits_the_table(tmp_path):
    run = everything()
    root = written(run, tmp_path)
    text = (tmp_path / "junit.xml").read_text()
    assert root.get("name") == COURSE.title
    assert len(root) == len(run.submissions)
    assert HIDDEN not in text
    assert PRINTED not in text
    assert str(SEED) not in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_a_run_without_submissions_is_a_document_too(tmp_path):
    assert len(written(run_of(), tmp_path)) == 0


def test_counts_and_kinds_follow_the_states(tmp_path):
    [suite] = written(run_of(mixed()), tmp_path)
    counts = {"failure": 0, "error": 0, "skipped": 0}
    names = set()
    for case in suite.iter("testcase"):
        names.add((case.get("classname"), case.get("name")))
        for child in case:
            counts[child.tag] += 1
    sizes = [len(exercise.checks) for exercise in COURSE.exercises]
    assert counts == {
        "failure": sizes[1],
        "error": sizes[3] + sizes[4] + sizes[5],
        "skipped": sizes[2] + sum(sizes[6:]),
    }
    assert {name: int(suite.get(name)) for name in ("failures", "errors", "skipped")} == {
        "failures": counts["failure"],
        "errors": counts["error"],
        "skipped": counts["skipped"],
    }
    assert int(suite.get("tests")) == sum(sizes) == len(names)
    assert ("s002.step1", "linear: linear_forward returns x @ w + b") in names
    assert suite.get("time") == "1.500"


def test_a_failure_says_what_was_called_and_what_came_back(tmp_path):
    [suite] = written(run_of(mixed(text="here <&>\"'")), tmp_path)
    failure = suite.find(".//failure")
    assert failure.get("type") == "failed"
    assert failure.get("message") == "cause here <&>\"'"
    assert "got: got here <&>\"'" in failure.text


def test_points_stand_in_the_properties(tmp_path):
    [suite] = written(run_of(passed(name="Name")), tmp_path)
    found = properties(suite)
    assert found["points"] == found["max_points"] == str(MAX_POINTS)
    assert found["step2.points"] == str(STEP2.points)
    assert found["step2.input_gradient.points"] == str(STEP2.checks[0].points)
    assert found["isolation"] == "bwrap"
    assert found["name"] == "Name"


def test_a_grader_error_is_an_error_without_points(tmp_path):
    [suite] = written(run_of(with_grader_error()), tmp_path)
    found = properties(suite)
    assert found["points"] == found["step3.points"] == found["step3.saved.points"] == "grader error"
    assert suite.get("errors") == "1"
    assert suite.find(".//error").get("type") == "grader error"
    assert "no score yet" in suite.find("system-out").text


def test_an_override_is_in_the_properties_and_in_the_output(tmp_path):
    [suite] = written(run_of(overridden(with_grader_error(), ("step3", STEP3.points - 1, "Our fault."))), tmp_path)
    found = properties(suite)
    assert found["step3.points"] == str(STEP3.points - 1)
    assert found["step3.override"] == "Our fault."
    assert "Reason: Our fault." in suite.find("system-out").text


@given(st.text(max_size=40))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("place", ["id", "name", "text", "notes"])
def test_any_text_anywhere_gives_a_document(tmp_path, place, text):
    values = {"id": {"identity": text}, "name": {"name": text}, "text": {"text": text}, "notes": {"notes": (text,)}}
    written(run_of(mixed(**values[place])), tmp_path)

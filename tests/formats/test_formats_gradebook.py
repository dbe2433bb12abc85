import csv
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_runs import (
    COURSE,
    HIDDEN,
    MAX_POINTS,
    NASTY,
    PRINTED,
    STEP1,
    STEP2,
    STEP3,
    everything,
    mixed,
    overridden,
    passed,
    run_of,
    ungradable,
    with_grader_error,
)

from grader.formats import gradebook

FORMULA = ("=", "+", "-", "@")
EXERCISES = [exercise.id for exercise in COURSE.exercises]
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# What Canvas' importer wants: these five first, in this order, and "Points Possible" in the second line.
CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
# What Moodle's importer of grading worksheets looks for by name, in English.
MOODLE = ["Identifier", "Grade", "Last modified (grade)", "Feedback comments"]

write = pytest.mark.parametrize(
    "write", [gradebook.write_plain, gradebook.write_canvas, gradebook.write_moodle], ids=["plain", "canvas", "moodle"]
)
any_text = st.one_of(st.sampled_from(NASTY), st.text(), st.text(alphabet="=+-@\t\r\n\"',; \0\ud800a1", max_size=6))


def rows(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


def records(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def safe(cell):
    """Whether no spreadsheet takes a cell for a formula, and nothing in it steers anything."""
    if re.fullmatch(r"-?\d+(\.\d+)?", cell):
        return True
    first = unicodedata.normalize("NFKC", cell.lstrip()[:1])
    return first not in FORMULA and cell[:1] != "\t" and not re.search("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]", cell)


@write
def test_everything_makes_a_table_of_safe_cells(write, tmp_path):
    write(everything(), tmp_path / "grades.csv")
    table = rows(tmp_path / "grades.csv")
    assert len({len(row) for row in table}) == 1
    assert all(safe(cell) for row in table for cell in row)
    text = (tmp_path / "grades.csv").read_text(encoding="utf-8")
    assert HIDDEN not in text
    assert PRINTED not in text
    assert [path.name for path in tmp_path.iterdir()] == ["grades.csv"]


@write
@given(identity=any_text, name=any_text, reason=any_text)
@example("=1", "@x", "-1")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_makes_a_table_of_safe_cells(write, tmp_path, identity, name, reason):
    run = run_of(overridden(mixed(identity, name=name, problem=reason), ("step2", 3, reason)), passed())
    write(run, tmp_path / "grades.csv")
    table = rows(tmp_path / "grades.csv")
    assert len({len(row) for row in table}) == 1
    assert len(table) == (4 if write is gradebook.write_canvas else 3)
    assert all(safe(cell) for row in table for cell in row)


@given(identity=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 .,;\"'_-]*", fullmatch=True), points=st.integers(0, STEP2.points))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ordinary_ids_and_points_come_back_as_they_were(tmp_path, identity, points):
    run = run_of(overridden(passed(identity), ("step2", points, "reason")))
    gradebook.write_plain(run, tmp_path / "grades.csv")
    [record] = records(tmp_path / "grades.csv")
    assert record["id"] == identity
    assert int(record["step2"]) == points
    assert int(record["points"]) == MAX_POINTS - STEP2.points + points
    gradebook.write_canvas(run, tmp_path / "canvas.csv")
    assert rows(tmp_path / "canvas.csv")[2][2:4] == [identity, identity]


def test_ids_are_quoted_text_and_points_are_numbers(tmp_path):
    gradebook.write_plain(run_of(passed("007", name="A, B")), tmp_path / "grades.csv")
    data = (tmp_path / "grades.csv").read_bytes()
    assert data.startswith(BYTE_ORDER_MARK + b'"id","name","points"')
    line = f'"007","A, B",{MAX_POINTS},{MAX_POINTS},100.0,"passed",{STEP1.points},{STEP2.points},'
    assert data.decode().splitlines()[1].startswith(line)


def test_the_plain_table_has_a_column_for_each_exercise(tmp_path):
    gradebook.write_plain(run_of(mixed(), ungradable()), tmp_path / "grades.csv")
    first, second = records(tmp_path / "grades.csv")
    assert list(first) == ["id", "name", "points", "max", "percent", "state", *EXERCISES, "overrides", "problem"]
    assert [first[name] for name in EXERCISES] == [str(STEP1.points), *["0"] * (len(EXERCISES) - 1)]
    assert (first["state"], first["percent"]) == ("crashed", str(round(100 * STEP1.points / MAX_POINTS, 1)))
    assert second["problem"] == "There is no Python file in s004.zip."


def test_a_grader_error_is_a_word_in_the_plain_table(tmp_path):
    gradebook.write_plain(run_of(with_grader_error()), tmp_path / "grades.csv")
    [record] = records(tmp_path / "grades.csv")
    assert record["points"] == record["percent"] == record["step3"] == record["state"] == "grader error"
    assert record["step2"] == str(STEP2.points)


def test_an_override_counts_and_is_shown_with_its_reason(tmp_path):
    points = STEP3.points - 1
    result = overridden(with_grader_error(), ("step3", points, "Our fault."))
    gradebook.write_plain(run_of(result), tmp_path / "grades.csv")
    [record] = records(tmp_path / "grades.csv")
    assert record["step3"] == str(points)
    assert record["points"] == str(MAX_POINTS - 1)
    assert f"{points}/{STEP3.points} instead of ?/{STEP3.points}. Reason: Our fault." in record["overrides"]


def test_canvas_gets_its_columns_and_no_empty_score(tmp_path):
    run = run_of(passed("0012"), with_grader_error("s3"), mixed("s2", name="B, A"))
    left_out = gradebook.write_canvas(run, tmp_path / "canvas.csv", "Checkpointing (1234)")
    table = rows(tmp_path / "canvas.csv")
    assert left_out == ("s3",)
    assert not (tmp_path / "canvas.csv").read_bytes().startswith(BYTE_ORDER_MARK)
    assert table == [
        [*CANVAS, "Checkpointing (1234)"],
        ["    Points Possible", "", "", "", "", str(MAX_POINTS)],
        ["0012", "", "0012", "0012", "", str(MAX_POINTS)],
        ["B, A", "", "s2", "s2", "", str(STEP1.points)],
    ]
    gradebook.write_canvas(run, tmp_path / "canvas.csv")
    assert rows(tmp_path / "canvas.csv")[0][-1] == COURSE.title


def test_moodle_gets_its_columns(tmp_path):
    run = run_of(
        passed("Given Family_4242_assignsubmission_file"),
        passed("Given Other_4243", name="Given Other"),
        passed("Participant_77_assignsubmission_file_"),
        passed("Participant 78"),
        passed("s001@example.org", name="Name"),
        passed("0042"),
    )
    gradebook.write_moodle(run, tmp_path / "moodle.csv")
    assert (tmp_path / "moodle.csv").read_bytes().startswith(BYTE_ORDER_MARK)
    found = records(tmp_path / "moodle.csv")
    assert set(MOODLE) <= set(found[0])
    keys = ("Identifier", "Full name", "ID number", "Email address")
    assert [[record[key] for key in keys] for record in found] == [
        ["Participant 4242", "Given Family", "", ""],
        ["Participant 4243", "Given Other", "", ""],
        ["Participant 77", "", "", ""],
        ["Participant 78", "", "", ""],
        ["", "Name", "s001@example.org", "s001@example.org"],
        ["", "", "0042", ""],
    ]
    assert {(record["Grade"], record["Maximum grade"]) for record in found} == {(str(MAX_POINTS), str(MAX_POINTS))}


def test_moodle_skips_an_empty_grade_and_the_comment_says_why(tmp_path):
    gradebook.write_moodle(run_of(with_grader_error()), tmp_path / "moodle.csv")
    [record] = records(tmp_path / "moodle.csv")
    assert record["Grade"] == ""
    assert record["Status"] == "grader error"
    assert record["Feedback comments"].startswith("The grader itself failed, so there is no score yet.")
    assert f"step3: ?/{STEP3.points}, grader error" in record["Feedback comments"]


def test_comments_for_moodle_are_html_without_any_markup_of_the_student(tmp_path):
    class Tags(HTMLParser):
        def __init__(self):
            super().__init__()
            self.tags = set()

        def handle_starttag(self, tag, attrs):
            self.tags.add((tag, *attrs))

    gradebook.write_moodle(everything(), tmp_path / "moodle.csv")
    for record in records(tmp_path / "moodle.csv"):
        parser = Tags()
        parser.feed(record["Feedback comments"])
        assert parser.tags == {("br",)}


def test_an_empty_run_gives_no_lines_of_students(tmp_path):
    gradebook.write_plain(run_of(), tmp_path / "plain.csv")
    gradebook.write_canvas(run_of(), tmp_path / "canvas.csv")
    gradebook.write_moodle(run_of(), tmp_path / "moodle.csv")
    assert [len(rows(tmp_path / f"{name}.csv")) for name in ("plain", "canvas", "moodle")] == [0, 1, 1]

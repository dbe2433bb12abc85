import builtins
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_runs import (
    HIDDEN,
    MAX_POINTS,
    NASTY,
    PRINTED,
    SEED,
    STEP1,
    STEP3,
    everything,
    exercise_result,
    mixed,
    overridden,
    passed,
    run_of,
    ungradable,
    with_grader_error,
)

from grader.formats.html import write_report
from grader.formats.writing import FormatUnavailable
from grader.results import RunResults, State

# Every element and attribute that the templates use; nothing else may come from anywhere.
# fmt: off
ELEMENTS = {
    "html": {"lang"}, "head": set(), "meta": {"charset", "name", "content", "http-equiv"}, "title": set(),
    "style": set(), "body": {"class"}, "header": set(), "main": set(), "section": {"class", "aria-labelledby"},
    "h1": set(), "h2": {"id"}, "p": {"class", "id"}, "div": {"class", "tabindex", "role", "aria-label"},
    "dl": {"class"}, "dt": set(), "dd": {"class"}, "ul": {"class", "aria-labelledby"}, "li": set(),
    "table": {"class", "aria-labelledby"}, "thead": {"class"}, "tbody": set(), "tr": set(),
    "th": {"scope", "class"}, "td": {"class"}, "a": {"href"}, "bdi": set(), "strong": set(),
    "span": {"class", "title", "aria-hidden"}, "b": {"aria-hidden"}, "i": {"style"},
}
# fmt: on
VOID = {"meta"}


class Page(HTMLParser):
    """A page that is checked as it is parsed: known elements only, properly nested, no script, nothing loaded."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.links, self.ids, self.references, self.heads = [], [], [], set(), set(), []
        self.feed(text)
        self.close()
        assert self.open == []
        assert self.references <= self.ids
        assert all(scope in ("row", "col") for scope in self.heads)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        assert tag in ELEMENTS, tag
        assert set(values) <= ELEMENTS[tag], (tag, values)
        if "style" in values:
            assert re.fullmatch(r"width: \d+(\.\d+)?%", values["style"])
        if "href" in values:
            self.links.append(values["href"])
            assert re.fullmatch(r"students/[A-Za-z0-9_-]+\.html", values["href"])
        if tag == "th":
            self.heads.append(values.get("scope"))
        if "id" in values:
            assert values["id"] not in self.ids
            self.ids.add(values["id"])
        if "aria-labelledby" in values:
            self.references.add(values["aria-labelledby"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def report(run, folder):
    index = write_report(run, folder)
    assert index == folder / "index.html"
    page = Page(index.read_text(encoding="utf-8"))
    students = {link: Page((folder / unquote(link)).read_text(encoding="utf-8")) for link in page.links}
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")} == {"index.html", *students}
    return page, students


def student_page(result, folder):
    _page, students = report(run_of(result), folder)
    [student] = students.values()
    return student


def test_every_page_of_a_run_with_everything_is_clean(tmp_path):
    run = everything()
    _page, students = report(run, tmp_path)
    assert len(students) == len(run.submissions)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            bad = {c for c in text if unicodedata.category(c)[0] == "C" and c != "\n"}
            assert bad <= {"\t"}
            assert HIDDEN not in text
            assert PRINTED not in text
            assert "<script" not in text.lower()
            assert (str(SEED) in text) == (path.name == "index.html")


def test_a_students_text_is_shown_as_it_is(tmp_path):
    words = student_page(mixed(text="<script>alert(1)</script> {{ 7*7 }} &amp;"), tmp_path).words
    assert "got <script>alert(1)</script> {{ 7*7 }} &amp;" in words
    assert "cause <script>alert(1)</script>" in words


def test_a_students_page_says_state_points_and_feedback(tmp_path):
    words = student_page(mixed(name="A Name", notes=("conftest.py was ignored.",)), tmp_path).words
    assert f"Points {STEP1.points}/{MAX_POINTS}" in words
    assert "A Name s002" in words
    assert "conftest.py was ignored." in words
    for expected in ("failed", "error", "blocked", "timeout", "crashed", "not attempted", "passed"):
        assert expected in words
    assert "called called text got got text expected expected text likely cause text read recompute.md#step1" in words


def test_a_students_page_tells_neither_seed_nor_isolation(tmp_path):
    words = student_page(passed(), tmp_path).words
    assert "bwrap" not in words
    assert str(SEED) not in words


def test_a_grader_error_is_never_a_zero(tmp_path):
    page, students = report(run_of(with_grader_error(), passed()), tmp_path)
    [words] = [student.words for link, student in students.items() if "s003" in link]
    assert f"?/{MAX_POINTS}" in words
    assert "There is no score yet; it does not count against you." in words
    assert f"grader error ?/{STEP3.points}" in words
    assert f"?/{MAX_POINTS} ?" in page.words
    assert "without a score 1" in page.words
    # The mean is that of the others.
    assert "mean 100 %" in page.words


def test_an_override_is_shown_with_its_reason_on_both_pages(tmp_path):
    points = STEP3.points - 1
    result = overridden(with_grader_error(), ("step3", 0, "Superseded."), ("step3", points, "It was <our> fault."))
    page, students = report(run_of(result), tmp_path)
    [student] = students.values()
    said = f"{points}/{STEP3.points} instead of ?/{STEP3.points}"
    sentence = f"Points set by the instructor: {said}. Reason: It was <our> fault."
    assert sentence in student.words
    assert sentence in page.words
    assert "Superseded" not in student.words
    assert f"Points {MAX_POINTS - 1}/{MAX_POINTS}" in student.words


def test_a_note_on_consequential_credit_is_shown(tmp_path):
    result = passed()
    noted = exercise_result(1, State.PASSED, note="step1 was answered by the reference.")
    changed = replace(result, exercises=(result.exercises[0], noted, *result.exercises[2:]))
    assert "step1 was answered by the reference." in student_page(changed, tmp_path).words


def test_a_submission_without_files_says_so_once(tmp_path):
    words = student_page(ungradable(), tmp_path).words
    assert words.count("There is no Python file in s004.zip.") == 1
    assert "got text" not in words


def test_the_class_page_is_sorted_and_complete(tmp_path):
    page, _students = report(run_of(passed("s010"), mixed("s002"), passed("s001"), ungradable()), tmp_path)
    assert [re.sub("-[0-9a-f]{10}.html", "", link) for link in page.links[:4]] == [
        "students/s001",
        "students/s002",
        "students/s004",
        "students/s010",
    ]
    words = page.words
    assert "4 submissions · isolation bwrap" in words
    assert f"seed {SEED}" in words
    assert "90\N{EN DASH}100 % 2" in words
    mixed_percent = 100 * STEP1.points / MAX_POINTS
    assert f"0\N{EN DASH}9 % {2 if mixed_percent < 10 else 1}" in words
    assert "step1 A chain of layers, forward 75 % 3 of 4 passed ✓ passed 3 u ungradable 1" in words
    assert f"mean {(200 + mixed_percent) / 4:.0f} %" in words


def test_missing_isolation_is_said_loudly(tmp_path):
    page, _students = report(RunResults(SEED, "none", "Course", (passed(),)), tmp_path)
    assert "NOT ISOLATED" in page.words


def test_a_run_without_submissions_has_a_page(tmp_path):
    page, students = report(run_of(), tmp_path)
    assert not students
    assert "There are no submissions." in page.words


def test_without_jinja2_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    real = builtins.__import__

    def without_jinja2(name, *args, **kwargs):
        if name.startswith("jinja2"):
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_jinja2)
    with pytest.raises(FormatUnavailable, match=r"Jinja2; install it with pip install 'checkpointing-course\[instr"):
        write_report(run_of(passed()), tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_nothing_half_written_is_left(tmp_path, monkeypatch):
    def broken(_self, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", broken)
    with pytest.raises(OSError, match="No space left"):
        write_report(run_of(passed()), tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


ids = st.one_of(st.sampled_from(NASTY), st.text(), st.text(alphabet="aA./\\:-_ \0\ud800é", max_size=4))


@given(st.lists(ids, min_size=1, max_size=6))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_page_names_are_safe_and_differ(tmp_path_factory, identities):
    folder = tmp_path_factory.mktemp("report")
    page, _students = report(run_of(*(passed(identity) for identity in identities)), folder)
    names = [path.name for path in (folder / "students").iterdir()]
    assert len({name.casefold() for name in names}) == len(names) == len(identities)
    assert all(len(name) <= 80 for name in names)
    assert set(page.links) == {f"students/{name}" for name in names}


def test_page_names_stay_the_same_with_other_students_there(tmp_path):
    report(run_of(passed("s001"), passed("S001"), passed("a/../s001")), tmp_path / "one")
    report(run_of(passed("s001")), tmp_path / "two")
    [name] = [path.name for path in (tmp_path / "two" / "students").iterdir()]
    assert name in [path.name for path in (tmp_path / "one" / "students").iterdir()]


def luminance(colour):
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_have_contrast(tmp_path, scheme):
    css = write_report(run_of(), tmp_path).read_text(encoding="utf-8")
    block = re.findall(r":root \{(.*?)\}", css, re.DOTALL)[scheme]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
    for text in ("text", "quiet", "link"):
        for back in ("back", "card"):
            assert contrast(colours[text], colours[back]) >= 4.5, (text, back)
    for kind in ("good", "bad", "warn", "odd", "quiet"):
        assert contrast(colours[kind], colours[f"{kind}-back"]) >= 4.5, kind
        assert contrast(colours["text"], colours[f"{kind}-back"]) >= 4.5, kind
    assert contrast(colours["bar"], colours["track"]) >= 3

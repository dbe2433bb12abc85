"""Runs made by hand, with everything in them that a hostile or unlucky student can bring about."""

from __future__ import annotations

from dataclasses import replace

from grader.results import CheckResult, ExerciseResult, Feedback, Override, RunResults, State, SubmissionResult
from lesson.course import load_course

# The seven steps: what the tests say does not change when exercises are added.
WHOLE = load_course()
COURSE = replace(WHOLE, exercises=WHOLE.exercises[:7])
MAX_POINTS = COURSE.points
STEP1, STEP2, STEP3 = COURSE.exercises[:3]

# Neither of the two may appear in anything that a student can see.
HIDDEN = "HIDDEN-INPUTS-4711"
PRINTED = "PRINTED-BY-THE-CODE-4712"
# The hidden inputs are drawn from it.
SEED = 20260714

NASTY = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><b onmouseover='alert(1)'>",
    "</style></title></textarea>]]>&amp;&#0;{{ 7*7 }}{% raw %}",
    "\x1b[2J\x1b]0;title\x07\x9b31mred",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200f",
    '=HYPERLINK("http://example.org")',
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "  =1",
    "\N{FULLWIDTH EQUALS SIGN}1",
    "quote \" comma , semicolon ; 'single'",
    "two\nlines\r\nand\x0bmore\x0c\u2028\u2029",
    "lone \ud800 and \udfff surrogate",
    "NUL \x00 and \x01\x08\x7f\ufffe\uffff",
    "a" * 5000,
    "z\u0300\u0301\u0302\u0303" * 20,
    "",
    " ",
)


def feedback(text: str = "text") -> Feedback:
    return Feedback(
        called=f"called {text}",
        got=f"got {text}",
        expected=f"expected {text}",
        cause=f"cause {text}",
        read="recompute.md#step1",
        hidden=HIDDEN,
        printed=PRINTED,
    )


def exercise_result(number: int, *states: State, text: str = "text", note: str = "") -> ExerciseResult:
    """Return a result whose checks are in these states, the last one for all that are left."""
    exercise = COURSE.exercises[number]
    padded = [*states, *[states[-1]] * len(exercise.checks)]
    checks = tuple(
        CheckResult(check, state, None if state is State.PASSED else feedback(text))
        for check, state in zip(exercise.checks, padded, strict=False)
    )
    return ExerciseResult(exercise, checks, note)


def submission(identity: str, *states: State, text: str = "text", **values: object) -> SubmissionResult:
    """Return a submission with one exercise in each state, the last one for all that are left."""
    count = len(COURSE.exercises)
    padded = [*states, *[states[-1]] * count][:count]
    exercises = tuple(exercise_result(number, state, text=text) for number, state in enumerate(padded))
    result = SubmissionResult(id=identity, path="somewhere", exercises=exercises, seconds=1.5, cpu_seconds=0.25)
    return replace(result, **values)


def passed(identity: str = "s001", **values: object) -> SubmissionResult:
    return submission(identity, State.PASSED, **values)


def mixed(identity: str = "s002", **values: object) -> SubmissionResult:
    """Return a submission in which most states occur, without a grader error."""
    states = (State.PASSED, State.FAILED, State.BLOCKED, State.ERROR, State.TIMEOUT, State.CRASHED, State.NOT_ATTEMPTED)
    return submission(identity, *states, **values)


def with_grader_error(identity: str = "s003", **values: object) -> SubmissionResult:
    """Return a submission whose third exercise has a check that the grader could not judge."""
    result = passed(identity, **values)
    broken = exercise_result(2, State.PASSED, State.GRADER_ERROR, State.PASSED)
    return replace(result, exercises=(*result.exercises[:2], broken, *result.exercises[3:]))


def overridden(result: SubmissionResult, *overrides: tuple[str, int, str]) -> SubmissionResult:
    return replace(result, overrides=tuple(Override(*override) for override in overrides))


def ungradable(identity: str = "s004") -> SubmissionResult:
    return submission(identity, State.UNGRADABLE, problem="There is no Python file in s004.zip.")


def nasty_submissions() -> list[SubmissionResult]:
    """Return a submission for each nasty text, which stands in every place that a student's text can reach."""
    return [
        overridden(
            mixed(f"{text}{number}", text=text, name=text, notes=(text,), problem=text if number % 2 else ""),
            ("step2", 1, f"{text} "),
        )
        for number, text in enumerate(NASTY)
    ]


def run_of(*submissions: SubmissionResult) -> RunResults:
    return RunResults(SEED, "bwrap", COURSE.title, submissions)


def everything() -> RunResults:
    """Return a run with every state and every nasty text."""
    with_memory = submission("s005", State.MEMORY, State.PASSED)
    return run_of(
        passed(),
        mixed(),
        with_grader_error(),
        ungradable(),
        with_memory,
        overridden(with_grader_error("s006"), ("step3", 9, "The grader was wrong.")),
        *nasty_submissions(),
    )

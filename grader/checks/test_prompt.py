"""The prompt: it asks for everything, and its worked examples are right."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.checks.claims import CaseGroup, CasesOf, Wrong
from grader.checks.prompt_reading import Finding, PromptReport, check_prompt
from grader.messages import _
from grader.results import Feedback
from grader.student.handle import Student
from grader.student.outcomes import NoText, Outcome, Raised
from lesson.course import Exercise, load_course
from lesson.policy_cost import policy_cost

# Characters of a text that the student has chosen.
MAX_SHOWN = 60


def test_inputs(student: Student, case: CasesOf) -> None:
    _none_of(student, case("inputs"), "empty", "too_long", "inputs_missing", "inputs_incomplete")


def test_examples(student: Student, case: CasesOf) -> None:
    _none_of(student, case("examples"), "empty", "too_long", "examples_few")


def test_form(student: Student, case: CasesOf) -> None:
    _none_of(
        student,
        case("form"),
        "json_invalid",
        "examples_many",
        "example_incomplete",
        "example_number",
        "example_config",
        "example_policy_form",
        "example_layers",
        "example_policy_name",
    )


def test_peaks(student: Student, case: CasesOf) -> None:
    _none_of(student, case("peaks"), "example_peak_wrong")


def test_overheads(student: Student, case: CasesOf) -> None:
    _none_of(student, case("overheads"), "example_overhead_wrong")


def test_policies(student: Student, case: CasesOf) -> None:
    group = case("policies")
    _none_of(student, group, "example_nothing_fits", "example_too_large", "example_not_optimal")
    if not group.reference and _report(student, group).planner:
        raise Wrong(
            Feedback(
                _exercise().text_file,
                _("The policies of the examples cannot be judged yet: your plan_policy gives no plan for them."),
                _("A plan_policy that works, to compare the examples with."),
            )
        )


class _Judged:
    """What was found in a prompt, and whether the student's own planner, where it had to judge, gave it up."""

    def __init__(self, student: Student, group: CaseGroup) -> None:
        self.text = _text(student)
        self.planner = False
        self._student = student
        self._best_of_reference = group.reference.get("best_overhead")
        self.report: PromptReport = check_prompt(self.text, self._best)

    def _best(self, config: Mapping[str, Any], memory_gb: float) -> float:
        """Return the least overhead, by the reference or else by the student's own function."""
        if self._best_of_reference is not None:
            with np.errstate(all="ignore"):  # of absurd numbers in an example
                return float(self._best_of_reference(config, memory_gb))
        try:
            plan = self._student.call("plan_policy", dict(config), memory_gb)
            cost = policy_cost(config, plan)
        except Outcome as outcome:
            if isinstance(outcome, Raised) and outcome.error.base == "ValueError":
                raise ValueError("nothing fits") from None
            self.planner = True
            return float("inf")
        except (TypeError, ValueError):
            self.planner = True
            return float("inf")
        if cost.peak_gb > memory_gb * (1 + 1e-9):
            self.planner = True
            return float("inf")
        return cost.overhead


def _report(student: Student, group: CaseGroup) -> _Judged:
    return student.once("prompt", lambda: _Judged(student, group))


def _exercise() -> Exercise:
    """Return the exercise whose text this is about."""
    return load_course().exercise("prompt")


def _text(student: Student) -> str:
    """Return the student's prompt, or raise the outcome of there being none."""
    # Everything about a prompt may be told, so it must come from code that has seen no hidden input.
    student.renew()
    name, file = _exercise().text, _exercise().text_file
    text = student.probe("text_file", text=name)
    if text is None:
        text = student.probe("text_string", function=name)
    if text is None:
        raise NoText(name, file)
    return text if isinstance(text, str) else "x" * 2_000_000  # too large to cross


def _none_of(student: Student, group: CaseGroup, *codes: str) -> None:
    """Raise `Wrong` for the first finding of these kinds; a prompt holds no hidden values, so all may be told."""
    judged = _report(student, group)
    for finding in judged.report.findings:
        if finding.code in codes:
            where = _exercise().text_file
            if finding.example is not None:
                where = _("{file}, worked example {number} (line {line})").format(
                    file=where, number=finding.example + 1, line=judged.report.examples[finding.example].line
                )
            got, expected, cause = _sentences(finding, own_planner=not group.reference)
            raise Wrong(Feedback(where, got, expected, cause))


def _sentences(finding: Finding, *, own_planner: bool) -> tuple[str, str, str]:
    """Return what was found, what was due, and the likely cause."""
    values = {name: _shown(value) for name, value in finding.values.items()}
    match finding.code:
        case "empty":
            return _("an empty prompt"), _("a prompt"), ""
        case "too_long":
            return _("a prompt of more than a million characters"), _("a prompt that fits into a chat"), ""
        case "json_invalid":
            got = _("The json block at line {line} is not JSON: {reason}.").format(**values)
            return got, _("json blocks that a program can read"), _("JSON has no comments, trailing commas or NaN.")
        case "inputs_missing":
            got = _("No json block states the inputs.")
            return got, _("one block with config and memory_gb, and no policy"), ""
        case "inputs_incomplete":
            got = _("The block that states the inputs lacks {keys}.").format(**values)
            return got, _("every input, with any value"), ""
        case "examples_few":
            got = _("{found} different worked examples that can be judged").format(**values)
            return got, _("at least {needed}, each a json block with all five keys").format(**values), ""
        case "examples_many":
            return _("More than {limit} worked examples.").format(**values), _("a prompt that fits into a chat"), ""
        case "example_incomplete":
            return _("It lacks {keys}.").format(**values), _("all five keys in each worked example"), ""
        case "example_number":
            return _("{key} is {value}.").format(**values), _("a finite number"), ""
        case "example_config":
            got = _("config has {key} = {value}.").format(**values)
            due = _("a configuration that the rules of this lesson cover: 16 bit, and sequence parallelism with tensor")
            return got, due, ""
        case "example_policy_form":
            return _("policy is not a list."), _("a list with one policy per layer"), ""
        case "example_layers":
            return _("{policies} policies for {layers} layers").format(**values), _("one policy per layer"), ""
        case "example_policy_name":
            got = _("Layer {layer} has the policy {policy}.").format(**values)
            return got, _("one of those on offer there: {offered}").format(**values), ""
        case "example_peak_wrong":
            return *_wrong_number("predicted_peak_gb", finding), _peak_causes().get(str(values["likely"]), "")
        case "example_overhead_wrong":
            return *_wrong_number("overhead", finding), _overhead_causes().get(str(values["likely"]), "")
    return _about_policy(finding, own_planner)


def _about_policy(finding: Finding, own_planner: bool) -> tuple[str, str, str]:
    judge = _("Judged by your own plan_policy.") if own_planner else ""
    values = finding.values
    if finding.code == "example_nothing_fits":
        got = _("Nothing fits {memory:.6g} GB, but the example has a policy.").format(memory=values["memory_gb"])
        return got, _("an example that has an answer"), judge
    if finding.code == "example_too_large":
        got = _("The policy peaks at {peak:.6g} GB, and there are only {memory:.6g} GB.").format(
            peak=values["peak_gb"], memory=values["memory_gb"]
        )
        return got, _("a policy that fits"), ""
    got = _("The policy has an overhead of {percent:.4g} %.").format(percent=100 * values["overhead"])
    due = _("the best policy, with {percent:.4g} %").format(percent=100 * values["best_overhead"])
    return got, due, judge


def _wrong_number(key: str, finding: Finding) -> tuple[str, str]:
    got = _("{key} is {given:.6g}.").format(key=key, given=finding.values["given"])
    due = _("{expected:.6g}, within 1 %, as its policy really costs").format(expected=finding.values["expected"])
    return got, due


def _peak_causes() -> dict[str, str]:
    return {
        "GiB": _("This is in GiB of 2^30 bytes; a GB has 10^9."),
        "MB": _("This is in MB; divide by 1000."),
        "bytes": _("This is in bytes; divide by 10^9."),
        "kept_only": _("This is what is kept; the largest transient comes on top."),
    }


def _overhead_causes() -> dict[str, str]:
    return {
        "percent": _("This is in percent; write a fraction."),
        "per_forward": _("This is a fraction of the forward; a whole step is worth three."),
    }


def _shown(value: Any) -> Any:
    """Return a value as a sentence can show it."""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"

"""Policy: the fastest plan that fits."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grader.cases.case import Case
from grader.checks.claims import CasesOf, Wrong, called
from grader.checks.comparing import describe
from grader.checks.explaining import explain
from grader.messages import _
from grader.results import Feedback
from grader.student.handle import Student
from grader.student.outcomes import Raised
from lesson.policy_cost import GB, POLICIES, LayerOption, layer_options, policy_cost

# A number computed in another order still counts as the same.
ROUNDING = 1e-9
# For the smallest peak in the text of a ValueError, and how many numbers of the text are looked at.
PEAK_TOLERANCE = 0.01
MOST_NUMBERS = 40

_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_THOUSANDS = re.compile(r"(?<=\d)[,_'](?=\d{3}(?!\d))")


def test_recompute(student: Student, case: CasesOf) -> None:
    _finds_the_best(student, case("recompute"))


def test_mixed(student: Student, case: CasesOf) -> None:
    _finds_the_best(student, case("mixed"))


def test_offload(student: Student, case: CasesOf) -> None:
    _finds_the_best(student, case("offload"))


def test_infeasible(student: Student, case: CasesOf) -> None:
    group = case("infeasible")
    due = _("a ValueError whose text contains the smallest reachable peak in GB")
    for each in group.cases:
        asked = called(each, group.public)
        expected = _("{due}: {peak:.4g} GB").format(due=due, peak=each.expected) if group.public else due
        try:
            got = student.answer(each)
        except Raised as outcome:
            if outcome.error.base != "ValueError":
                raise Wrong(replace(explain(outcome, public=group.public), called=asked, expected=expected)) from None
            numbers = list(_numbers(outcome.error.message))
            if not any(abs(number - each.expected) <= PEAK_TOLERANCE * each.expected for number in numbers):
                told = _text_of_error(each, numbers)
                raise Wrong(Feedback(asked, _("a ValueError with another text"), expected, told)) from None
            continue
        said = describe(got) if not isinstance(got, list | tuple) else _("a plan")
        cause = _("No plan fits here: compare the peak of the plan with the memory before you return it.")
        raise Wrong(Feedback(asked, said, expected, cause))


def _finds_the_best(student: Student, group: Any) -> None:
    for case in group.cases:
        config, memory_gb = case.inputs["config"], case.inputs["memory_gb"]
        asked = called(case, group.public)
        plan = _plan(student.answer(case), config, asked)
        cost, options = policy_cost(config, plan), layer_options(config)
        if cost.peak_gb > memory_gb * (1 + ROUNDING):
            due = _("a plan whose peak fits the memory")
            got = _("a plan that needs more than there is")
            if group.public:
                got = _("a plan that peaks at {peak:.6g} GB").format(peak=cost.peak_gb)
            cause = _too_large(plan, options, memory_gb)
            hidden = "" if group.public else f"{called(case, True)}: {cost.peak_gb!r} > {memory_gb!r}"
            raise Wrong(Feedback(asked, got, due, cause, hidden=hidden))
        if cost.overhead > case.expected * (1 + ROUNDING) + 1e-12:
            due = _("the plan with the least overhead among those that fit")
            got = _("a plan that fits but recomputes or moves more than it has to")
            if group.public:
                got = _("a plan that fits, with an overhead of {percent:.4g} %").format(percent=100 * cost.overhead)
                due = _("a plan that fits, with an overhead of {percent:.4g} %").format(percent=100 * case.expected)
            hidden = "" if group.public else f"{called(case, True)}: {cost.overhead!r} > {case.expected!r}"
            raise Wrong(Feedback(asked, got, due, _too_slow(plan, options, memory_gb), hidden=hidden))


def _plan(answer: Any, config: dict[str, Any], asked: str) -> list[str]:
    """Return the plan, or raise `Wrong` when the answer is not a plan."""
    layers, offered = config["layers"], layer_options(config)
    due = _("a list of {layers}, one of {policies} for each").format(layers="L", policies=", ".join(POLICIES))
    if not isinstance(answer, list | tuple):
        cause = ""
        if isinstance(answer, dict):
            cause = _("Spell the plan out, one policy per layer, instead of counting them.")
        if answer is None:
            cause = _("Nothing came back: is there a return at the end?")
        raise Wrong(Feedback(asked, describe(answer), due, cause))
    strangers = [item for item in answer if not isinstance(item, str) or item not in POLICIES]
    if strangers or len(answer) != layers:
        if strangers and not isinstance(strangers[0], str):
            raise Wrong(Feedback(asked, _("a list that contains {what}").format(what=describe(strangers[0])), due))
        if strangers:
            raise Wrong(Feedback(asked, _("a list with a name that is not a policy"), due))
        raise Wrong(Feedback(asked, _("a list of another length than there are layers"), due))
    if "selective" in answer and "selective" not in offered:
        cause = _("With FlashAttention the core is never stored, so there is nothing for selective to rebuild.")
        raise Wrong(Feedback(asked, _("a plan with selective"), due, cause))
    if "offload" in answer and "offload" not in offered:
        cause = _("offload is not on offer unless both host_bandwidth and flops_per_second are in config.")
        raise Wrong(Feedback(asked, _("a plan with offload"), due, cause))
    return list(answer)


def _too_large(plan: list[str], options: dict[str, LayerOption], memory_gb: float) -> str:
    kept = sum(options[policy].kept for policy in plan)
    transient = max(options[policy].transient for policy in plan)
    if kept + transient <= memory_gb * 2**30 * (1 + ROUNDING):
        return _("It would fit if a GB had 2^30 bytes; it has 10^9.")
    if kept <= memory_gb * GB * (1 + ROUNDING):
        return _("What is kept fits, but the largest transient of the plan comes on top.")
    return ""


def _too_slow(plan: list[str], options: dict[str, LayerOption], memory_gb: float) -> str:
    """Say how the plan can be improved, without numbers."""
    for policy in sorted(set(plan), key=lambda name: -options[name].extra):
        for faster, option in options.items():
            if option.extra < options[policy].extra:
                other = plan.copy()
                other[other.index(policy)] = faster
                kept = sum(options[name].kept for name in other)
                if kept + max(options[name].transient for name in other) <= memory_gb * GB:
                    return _("One layer on {policy} could be on {faster} instead, and it would still fit.").format(
                        policy=policy, faster=faster
                    )
    if len(set(plan)) <= 2 < len(options):
        return _(
            "No single layer can go back to a faster policy, but a mix can be faster: one more layer on a stronger "
            "policy may let several others go back. Try every number of layers per policy."
        )
    return _("No single layer can go back to a faster policy, but another mix of them is faster.")


def _numbers(text: str) -> Iterator[float]:
    """Yield the first numbers of a text; 1,234.5 is one."""
    for found, _index in zip(_NUMBER.finditer(_THOUSANDS.sub("", text)), range(MOST_NUMBERS), strict=False):
        yield float(found[0])


def _text_of_error(case: Case, numbers: list[float]) -> str:
    peak, layers = case.expected, case.inputs["config"]["layers"]
    if not numbers:
        return _("Its text contains no number.")
    for factor, sentence in (
        (GB / 2**30, _("The peak in its text is in GiB of 2^30 bytes; a GB has 10^9.")),
        (GB, _("The peak in its text is in bytes; divide by 10^9.")),
        (1e3, _("The peak in its text is in MB; divide by 1000.")),
    ):
        if any(abs(number / factor - peak) <= PEAK_TOLERANCE * peak for number in numbers):
            return sentence
    options = layer_options(case.inputs["config"])
    for name, option in options.items():
        whole, kept = (layers * option.kept + option.transient) / GB, layers * option.kept / GB
        if kept and any(abs(number - kept) <= PEAK_TOLERANCE * kept for number in numbers):
            return _("The peak in its text lacks the transient.")
        if any(abs(number - whole) <= PEAK_TOLERANCE * whole for number in numbers):
            return _("Its text names the peak with all layers on {policy}; another policy needs less.").format(
                policy=name
            )
    return _("The smallest reachable peak has one policy for all layers: try each of them.")

"""Judge a student's prompt for choosing a recomputation policy, in whatever language it is written.

What can be checked without reading prose is what a machine would have to read anyway: one json block that
states the inputs, and worked examples as json blocks whose numbers are right and whose policies are the
best ones. The findings are codes with values; sentences are made from them elsewhere.

| code | values | meaning |
|---|---|---|
| empty, too_long | | there is nothing to read, or too much |
| json_invalid | line, reason | a json block that is not JSON |
| inputs_missing | | no json block states the inputs |
| inputs_incomplete | keys | the inputs block lacks these |
| examples_few | found, needed | too few different worked examples that can be judged |
| examples_many | limit | more examples than are judged |
| example_incomplete | keys | a block with `policy` lacks these keys |
| example_number | key, value | not a finite number |
| example_config | key, value | not a configuration that the model of the lesson covers |
| example_policy_form | | `policy` is neither a list nor an object of counts |
| example_layers | policies, layers | another number of policies than of layers |
| example_policy_name | layer, policy, offered | a policy that is not on offer there |
| example_nothing_fits | memory_gb | no plan fits, but the example has one |
| example_too_large | peak_gb, memory_gb | the policy does not fit |
| example_not_optimal | overhead, best_overhead | a policy that fits adds less time |
| example_peak_wrong | given, expected, likely | likely: "GiB", "MB", "bytes", "kept_only" or None |
| example_overhead_wrong | given, expected, likely | likely: "percent", "per_forward" or None |
| policy_not_named | policy | the prose never names this policy (advice) |
| rule_not_stated | number | the prose never contains this coefficient (advice) |
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lesson.policy_cost import GB, POLICIES, PolicyCost, layer_options, policy_cost
from lesson.policy_form import (
    ANSWER_KEYS,
    INPUT_KEYS,
    LARGEST_TEXT,
    JsonBlock,
    Unsupported,
    is_number,
    json_blocks,
    plain_question,
    spelled_out,
    without_json_blocks,
)

EXAMPLES_NEEDED = 2
MOST_EXAMPLES = 40  # each one costs a search for the best plan
TOLERANCE = 0.01
ADVICE = ("policy_not_named", "rule_not_stated")
RULE_NUMBERS = ("34", "5", "2")

BestOverhead = Callable[[Mapping[str, Any], float], float]
"""(config, memory_gb) → the least overhead of any plan that fits; ValueError when none does."""


@dataclass(frozen=True)
class Finding:
    """Something to say about a prompt: a code of the table above, its values, and which example (from 0)."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    example: int | None = None

    @property
    def is_advice(self) -> bool:
        """Return whether this is worth a remark but no points."""
        return self.code in ADVICE


@dataclass(frozen=True)
class Example:
    """A worked example: the line it starts at, whether all of it is right, and what its plan really costs."""

    line: int
    ok: bool
    cost: PolicyCost | None


@dataclass(frozen=True)
class PromptReport:
    """What was found in a prompt.

    Attributes
    ----------
    inputs_ok
        Whether a json block states all inputs.
    examples
        The worked examples, in order.
    findings
        Everything that is wrong or missing, advice last.
    """

    inputs_ok: bool
    examples: tuple[Example, ...]
    findings: tuple[Finding, ...]

    @property
    def good_examples(self) -> int:
        """Return how many worked examples are entirely right."""
        return sum(example.ok for example in self.examples)

    @property
    def ok(self) -> bool:
        """Return whether nothing is wrong, advice aside."""
        return all(finding.is_advice for finding in self.findings)


def check_prompt(text: str, best_overhead: BestOverhead) -> PromptReport:
    """Return what is right, wrong and missing in a prompt.

    Parameters
    ----------
    text
        The prompt, in Markdown.
    best_overhead
        Given a configuration of `lesson.policy_cost` and a budget in GB, the least overhead of any plan that
        fits, or ValueError. It is only called with configurations that make sense.
    """
    if not text.strip():
        return PromptReport(False, (), (Finding("empty"),))
    if len(text) > LARGEST_TEXT:
        return PromptReport(False, (), (Finding("too_long"),))
    blocks = json_blocks(text)
    findings = [
        Finding("json_invalid", {"line": block.line, "reason": block.problem}) for block in blocks if block.problem
    ]
    objects = [block for block in blocks if isinstance(block.value, dict)]
    missing = _missing_inputs([block.value for block in objects if "policy" not in block.value])
    if missing is None:
        findings.append(Finding("inputs_missing"))
    elif missing:
        findings.append(Finding("inputs_incomplete", {"keys": missing}))

    examples: list[Example] = []
    different: list[Any] = []
    for block in objects:
        if "policy" not in block.value or _is_a_form(block.value):
            continue
        if len(examples) == MOST_EXAMPLES:
            findings.append(Finding("examples_many", {"limit": MOST_EXAMPLES}))
            break
        found, cost = _judge_example(block, best_overhead)
        findings += [Finding(code, values, len(examples)) for code, values in found]
        examples.append(Example(block.line, not found, cost))
        question = (block.value.get("config"), block.value.get("memory_gb"))
        if cost is not None and question not in different:
            different.append(question)
    if len(different) < EXAMPLES_NEEDED:
        findings.append(Finding("examples_few", {"found": len(different), "needed": EXAMPLES_NEEDED}))
    findings += _advice(without_json_blocks(text))
    return PromptReport(missing == [], tuple(examples), tuple(findings))


def _missing_inputs(candidates: list[dict[str, Any]]) -> list[str] | None:
    """Return the keys that the best inputs block lacks, or None when no block looks like one."""
    best: list[str] | None = None
    for block in candidates:
        config = block.get("config")
        if not isinstance(config, dict):
            continue
        missing = [f"config.{key}" for key in INPUT_KEYS if key not in config]
        missing += ["memory_gb"] if "memory_gb" not in block else []
        if best is None or len(missing) < len(best):
            best = missing
    return best


def _is_a_form(block: dict[str, Any]) -> bool:
    """Return whether a block is the form of an answer, with placeholders for numbers, not a worked example."""
    config = block.get("config")
    values = list(config.values()) if isinstance(config, dict) else []
    numbers = [*values, block.get("memory_gb"), block.get("predicted_peak_gb"), block.get("overhead")]
    return not any(is_number(value) for value in numbers)


class _Wrong(Exception):
    """A worked example that cannot be judged any further: a code and its values."""

    def __init__(self, code: str, **values: Any) -> None:
        self.code = code
        self.values = values
        super().__init__(code)


def _judge_example(
    block: JsonBlock, best_overhead: BestOverhead
) -> tuple[list[tuple[str, dict[str, Any]]], PolicyCost | None]:
    """Return what is wrong with a worked example, and what its plan costs where that can be said."""
    try:
        config, share, plan = _read_example(block.value)
    except _Wrong as error:
        return [(error.code, error.values)], None
    example, memory = block.value, float(block.value["memory_gb"])
    whole, options = policy_cost(config, plan), layer_options(config)
    cost = PolicyCost(whole.peak_gb / share, whole.overhead)
    found = _judge_numbers(example, cost, sum(options[policy].kept for policy in plan) / share / GB)
    try:
        best = best_overhead(config, memory * share)
    except ValueError:
        found.append(("example_nothing_fits", {"memory_gb": memory}))
        return found, cost
    if cost.peak_gb > memory * (1 + 1e-9):
        found.append(("example_too_large", {"peak_gb": cost.peak_gb, "memory_gb": memory}))
    elif cost.overhead > best * (1 + 1e-9) + 1e-12:
        found.append(("example_not_optimal", {"overhead": cost.overhead, "best_overhead": best}))
    return found, cost


def _read_example(example: dict[str, Any]) -> tuple[dict[str, Any], int, list[str]]:
    """Return the plain configuration, the GPUs that share it, and the policy of every layer."""
    if missing := [key for key in ANSWER_KEYS if key not in example]:
        raise _Wrong("example_incomplete", keys=missing)
    for key in ("memory_gb", "predicted_peak_gb", "overhead"):
        if not is_number(example[key]):
            raise _Wrong("example_number", key=key, value=example[key])
    if not isinstance(example["config"], dict):
        raise _Wrong("example_config", key="config", value=example["config"])
    try:
        config, share = plain_question(example["config"])
    except Unsupported as error:
        raise _Wrong("example_config", key=error.key, value=error.value) from None
    plan = spelled_out(example["policy"])
    if plan is None:
        raise _Wrong("example_policy_form")
    if len(plan) != config["layers"]:
        raise _Wrong("example_layers", policies=len(plan), layers=config["layers"])
    offered = layer_options(config)
    for layer, policy in enumerate(plan):
        if not isinstance(policy, str) or policy not in offered:
            raise _Wrong("example_policy_name", layer=layer, policy=policy, offered=list(offered))
    return config, share, plan


def _judge_numbers(example: dict[str, Any], cost: PolicyCost, kept_gb: float) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    given, expected = float(example["predicted_peak_gb"]), cost.peak_gb
    if not _close(given, expected):
        likely = {
            "GiB": expected * GB / 2**30,
            "MB": expected * 1e3,
            "bytes": expected * GB,
            "kept_only": kept_gb,
        }
        found.append(("example_peak_wrong", _wrong(given, expected, likely)))
    given, expected = float(example["overhead"]), cost.overhead
    if not _close(given, expected):
        likely = {"percent": 100 * expected, "per_forward": 3 * expected}
        found.append(("example_overhead_wrong", _wrong(given, expected, likely)))
    return found


def _wrong(given: float, expected: float, likely: dict[str, float]) -> dict[str, Any]:
    cause = next((name for name, value in likely.items() if _close(given, value)), None)
    return {"given": given, "expected": expected, "likely": cause}


def _close(given: float, expected: float) -> bool:
    return abs(given - expected) <= TOLERANCE * abs(expected) + 1e-9


def _advice(prose: str) -> list[Finding]:
    words = prose.lower()
    found = [
        Finding("policy_not_named", {"policy": policy})
        for policy in POLICIES
        if not re.search(rf"(?<![a-z]){policy}(?![a-z])", words)
    ]
    found += [
        Finding("rule_not_stated", {"number": number})
        for number in RULE_NUMBERS
        if not re.search(rf"(?<![\d.,]){number}(?![\d])", prose)
    ]
    return found

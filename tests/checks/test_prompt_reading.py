"""The check of a student's prompt: what it asks for, in any language, and what it finds."""

import json
import sys

import pytest

from grader.checks.prompt_reading import check_prompt
from lesson.policy_cost import layer_options, policy_cost
from lesson.policy_form import json_blocks, plain_question, without_json_blocks
from solutions.policy import plan_policy

CONFIGS = [
    {"layers": 24, "hidden": 2048, "heads": 16, "seq": 2048, "batch": 4},
    {"layers": 32, "hidden": 4096, "heads": 32, "seq": 16384, "batch": 1, "flash_attention": True},
]
INPUTS = {
    "config": {
        **dict.fromkeys(("layers", "hidden", "heads", "seq", "batch"), 1),
        "dtype": "bf16",
        "attention_kernel": "eager",
        "tensor_parallel": 1,
        "sequence_parallel": False,
        "pipeline_parallel": 1,
    },
    "memory_gb": 40,
}
PROSE = {
    "en": "Policies none, selective, full, offload. A = s*b*h*(34 + 5*a*s/h) bytes, an input 2*s*b*h.",
    "es": "Hay cuatro políticas: none, selective, full y offload. A = s·b·h·(34 + 5·a·s/h), entrada 2·s·b·h.",
    "ko": "정책은 none, selective, full, offload 네 가지이다. A = s·b·h·(34 + 5·a·s/h), 입력은 2·s·b·h 이다.",
}


def best_overhead(config, memory_gb):
    return policy_cost(config, plan_policy(config, memory_gb)).overhead


def example(config=CONFIGS[0], memory_gb=12, **changes):
    plan = plan_policy(config, memory_gb)
    cost = policy_cost(config, plan)
    answer = {"config": config, "memory_gb": memory_gb, "policy": plan}
    answer |= {"predicted_peak_gb": round(cost.peak_gb, 3), "overhead": round(cost.overhead, 5)}
    return {**answer, **changes}


def block(value, fence="```json"):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{fence}\n{text}\n{fence.split('json')[0].strip()}"


def prompt(*examples, inputs=INPUTS, prose=PROSE["en"]):
    examples = examples or (example(), example(CONFIGS[1], 20))
    return "\n\n".join([prose, block(inputs), *map(block, examples)])


def codes(text):
    return [finding.code for finding in check_prompt(text, best_overhead).findings]


def finding(text, code):
    found = [f for f in check_prompt(text, best_overhead).findings if f.code == code]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("language", PROSE)
def test_a_good_prompt_in_any_language(language):
    report = check_prompt(prompt(prose=PROSE[language]), best_overhead)
    assert report.findings == ()
    assert (report.inputs_ok, report.good_examples, report.ok) == (True, 2, True)


def test_what_an_example_costs_is_reported():
    report = check_prompt(prompt(), best_overhead)
    assert report.examples[0].cost == policy_cost(CONFIGS[0], plan_policy(CONFIGS[0], 12))
    assert report.examples[0].line == 7


def test_fences():
    """Tildes, longer fences, upper case, indentation, quotations, an outer fence, Windows line ends."""
    body = json.dumps(example(CONFIGS[1], 20))
    for odd in (
        block(body, "~~~json"),
        block(body, "````json"),
        f"```JSON\n{body}\n```",
        f"  ``` json\n  {body}\n  ```",
        f"> ```json\n> {body}\n> ```",
        f"````markdown\n```json\n{body}\n```\n````",
        block(json.dumps(example(CONFIGS[1], 20), indent=2)).replace("\n", "\r\n"),
        f"```json\n{body}",
    ):
        text = "\n\n".join([PROSE["en"], block(INPUTS), block(example()), odd])
        assert codes(text) == [], odd


def test_other_fences_are_not_read():
    text = prompt() + "\n```\n{not json}\n```\n```python\nx = {}\n```\n```json5\n{a: 1}\n```"
    assert codes(text) == []


def test_more_keys_and_free_values_in_the_inputs():
    inputs = {"config": {**dict.fromkeys(INPUTS["config"]), "kv_heads": "?"}, "memory_gb": "GB", "note": []}
    assert codes(prompt(inputs=inputs)) == []


@pytest.mark.parametrize("key", [*INPUTS["config"], "memory_gb"])
def test_each_input_is_needed(key):
    inputs = json.loads(json.dumps(INPUTS))
    (inputs if key == "memory_gb" else inputs["config"]).pop(key)
    missing = finding(prompt(inputs=inputs), "inputs_incomplete").values["keys"]
    assert missing == [key if key == "memory_gb" else f"config.{key}"]


def test_the_best_inputs_block_counts():
    assert codes(block({"config": {}}) + "\n" + prompt() + "\n" + block({"a": 1})) == []
    assert "inputs_missing" in codes(prompt(inputs={"memory_gb": 1}))
    assert "inputs_missing" in codes(prompt(inputs=[1]))


def test_the_form_of_an_answer_is_not_an_example():
    form = {"config": {"layers": "<number>"}, "memory_gb": "<GB>", "policy": ["none", "..."]}
    form |= {"predicted_peak_gb": "<GB>", "overhead": "<fraction>"}
    report = check_prompt(prompt() + "\n" + block(form), best_overhead)
    assert report.findings == ()
    assert len(report.examples) == 2


def test_two_different_examples_are_needed():
    assert finding(prompt(example()), "examples_few").values == {"found": 1, "needed": 2}
    assert "examples_few" in codes(prompt(example(), example()))
    assert codes(prompt(example(), example(memory_gb=20))) == []


def test_policies_as_counts_and_in_any_order():
    plan = example()["policy"]
    counts = {name: plan.count(name) for name in ("full", "selective")}
    assert codes(prompt(example(policy=plan[::-1]), example(CONFIGS[1], 20))) == []
    assert codes(prompt(example(policy=counts), example(CONFIGS[1], 20))) == []


def test_described_examples():
    described = {**INPUTS["config"], **CONFIGS[0], "dtype": "bfloat16"}
    sdpa = {key: value for key, value in CONFIGS[1].items() if key != "flash_attention"}
    kernel = {**sdpa, "attention_kernel": "FlashAttention-2"}
    assert (
        codes(
            prompt(
                example(config=CONFIGS[0]) | {"config": described},
                example(CONFIGS[1], 20) | {"config": kernel},
            )
        )
        == []
    )
    shared = example(memory_gb=48)
    shared |= {"config": {**CONFIGS[0], "tensor_parallel": 4, "sequence_parallel": True}, "memory_gb": 12}
    shared["predicted_peak_gb"] /= 4
    assert codes(prompt(example(), shared)) == []


@pytest.mark.parametrize(
    ("changes", "code", "values"),
    [
        ({"predicted_peak_gb": 11.9}, None, None),
        ({"overhead": 0.1315}, None, None),
        ({"predicted_peak_gb": 12.2}, "example_peak_wrong", {"likely": None}),
        ({"predicted_peak_gb": 11.0}, "example_peak_wrong", {"likely": "GiB"}),
        ({"predicted_peak_gb": 11811}, "example_peak_wrong", {"likely": "MB"}),
        ({"predicted_peak_gb": 11811160064}, "example_peak_wrong", {"likely": "bytes"}),
        ({"predicted_peak_gb": 9.93}, "example_peak_wrong", {"likely": "kept_only"}),
        ({"overhead": 0.2}, "example_overhead_wrong", {"likely": None}),
        ({"overhead": 13.1}, "example_overhead_wrong", {"likely": "percent"}),
        ({"overhead": 0.393}, "example_overhead_wrong", {"likely": "per_forward"}),
        ({"overhead": None}, "example_number", {"key": "overhead"}),
        ({"predicted_peak_gb": "11.8"}, "example_number", {"key": "predicted_peak_gb"}),
        ({"memory_gb": True}, "example_number", {"key": "memory_gb"}),
        ({"memory_gb": 10**400}, "example_number", {"key": "memory_gb"}),
        ({"policy": None}, "example_policy_form", {}),
        ({"policy": "full"}, "example_policy_form", {}),
        ({"policy": {"full": -1}}, "example_policy_form", {}),
        ({"policy": {"most": 24}}, "example_policy_form", {}),
        ({"policy": ["full"] * 25}, "example_layers", {"policies": 25, "layers": 24}),
        ({"policy": ["full"] * 23 + ["all"]}, "example_policy_name", {"layer": 23, "policy": "all"}),
        ({"policy": [["full"]] * 24}, "example_policy_name", {"layer": 0}),
        ({"policy": ["offload"] * 24}, "example_policy_name", {"offered": ["none", "selective", "full"]}),
        ({"config": 3}, "example_config", {"key": "config"}),
        ({"config": {**CONFIGS[0], "layers": 513}}, "example_config", {"key": "layers", "value": 513}),
        ({"config": {**CONFIGS[0], "seq": 2048.0}}, "example_config", {"key": "seq"}),
        ({"config": {**CONFIGS[0], "seq": 10**30}}, "example_config", {"key": "seq"}),
        ({"config": {**CONFIGS[0], "dtype": "fp32"}}, "example_config", {"key": "dtype"}),
        ({"config": {**CONFIGS[0], "host_bandwidth": -1}}, "example_config", {"key": "host_bandwidth"}),
        ({"config": {**CONFIGS[0], "tensor_parallel": 8}}, "example_config", {"key": "sequence_parallel"}),
    ],
)
def test_what_is_wrong_with_an_example(changes, code, values):
    text = prompt({**example(), **changes}, example(CONFIGS[1], 20), example(memory_gb=20))
    if code is None:
        assert codes(text) == []
        return
    found = finding(text, code)
    assert found.example == 0
    assert values.items() <= dict(found.values).items()
    assert not found.is_advice
    report = check_prompt(text, best_overhead)
    assert [e.ok for e in report.examples] == [False, True, True]
    assert not report.ok


@pytest.mark.parametrize("key", ["config", "memory_gb", "predicted_peak_gb", "overhead"])
def test_incomplete_examples(key):
    broken = example()
    del broken[key]
    assert finding(prompt(broken, example(memory_gb=20)), "example_incomplete").values == {"keys": [key]}


def costed(config, memory_gb, plan):
    cost = policy_cost(config, plan)
    return example() | {
        "config": config,
        "memory_gb": memory_gb,
        "policy": plan,
        "predicted_peak_gb": cost.peak_gb,
        "overhead": cost.overhead,
    }


def test_policies_must_fit_and_be_the_best():
    others = (example(memory_gb=20), example(CONFIGS[1], 20))
    slow = finding(prompt(costed(CONFIGS[0], 12, ["full"] * 24), *others), "example_not_optimal")
    assert slow.values["best_overhead"] < slow.values["overhead"]
    large = finding(prompt(costed(CONFIGS[0], 12, ["none"] * 24), *others), "example_too_large")
    assert large.values["peak_gb"] > large.values["memory_gb"]
    assert "example_nothing_fits" in codes(prompt(costed(CONFIGS[0], 1, ["full"] * 24), *others))


def test_the_argument_decides_what_is_best():
    calls = []

    def judge(config, memory_gb):
        calls.append((config, memory_gb))
        return 0.0

    report = check_prompt(prompt(), judge)
    assert {finding.code for finding in report.findings} == {"example_not_optimal"}
    assert calls[0] == ({**CONFIGS[0], "flash_attention": False}, 12)
    for config, _ in calls:
        layer_options(config)


def test_advice():
    report = check_prompt(prompt(prose="Just choose none or full. 340 and 1.5 and 20"), best_overhead)
    assert {(f.code, *f.values.values()) for f in report.findings} == {
        ("policy_not_named", "selective"),
        ("policy_not_named", "offload"),
        ("rule_not_stated", "34"),
        ("rule_not_stated", "5"),
        ("rule_not_stated", "2"),
    }
    assert report.ok


def test_broken_json_is_named():
    text = prompt() + "\n```json\n{'layers': 1}\n```"
    found = finding(text, "json_invalid")
    assert found.values["line"] == text.splitlines().index("{'layers': 1}")
    for bad in ('{"a": NaN}', '{"a": Infinity}', "[" * 100_000, "9" * 5000, ""):
        assert codes(prompt() + f"\n```json\n{bad}\n```") == ["json_invalid"]


def test_nothing_and_too_much():
    assert codes("") == codes(" \n") == ["empty"]
    assert codes("x" * 1_000_001) == ["too_long"]
    assert {"inputs_missing", "examples_few"} <= set(codes("Use full recomputation."))


def test_long_hostile_texts_are_read_quickly():
    for text in (
        "`" * 900_000,
        "```json\n" * 100_000,
        ("> " * 400_000) + "```json",
        "```" + " " * 900_000 + "x",
    ):
        check_prompt(text, best_overhead)


def test_text_without_its_blocks():
    assert without_json_blocks("a\n```json\n{}\n```\nb\n```\nc\n```") == "a\nb\n```\nc\n```"
    assert [b.value for b in json_blocks("```json\n1\n```\n```json\n2\n```")] == [1, 2]


def test_plain_questions():
    plain, share = plain_question({**INPUTS["config"], "tensor_parallel": None, "host_bandwidth": None})
    assert share == 1
    assert plain == {
        **dict.fromkeys(("layers", "hidden", "heads", "seq", "batch"), 1),
        "flash_attention": False,
    }


def test_only_the_standard_library_and_numpy():
    """So that the check runs in the browser."""
    import subprocess

    script = (
        "import sys; before = set(sys.modules); import grader.checks.prompt_reading; "
        "print(sorted({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['grader', 'lesson']"

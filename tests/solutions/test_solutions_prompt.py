"""The deliverable: every number in the prompt's worked examples, derived again."""

import re
from collections import Counter
from pathlib import Path

import pytest

from grader.checks.prompt_reading import check_prompt
from lesson.policy_cost import layer_options, policy_cost
from lesson.policy_form import ANSWER_KEYS, json_blocks, plain_question
from solutions.planner.answers import judge
from solutions.planner.plan import DoesNotFit, Hardware, ModelConfig, plan_model
from solutions.policy import plan_policy

PROMPT = Path(__file__).parents[2] / "outputs" / "prompt-activation-recompute-policy.md"
TEXT = PROMPT.read_text(encoding="utf-8")
EXAMPLES = [block.value for block in json_blocks(TEXT) if "policy" in block.value]
SECTIONS = re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]


def best_overhead(config, memory_gb):
    return policy_cost(config, plan_policy(config, memory_gb)).overhead


def test_it_passes_the_check_of_students_prompts():
    report = check_prompt(TEXT, best_overhead)
    assert report.findings == ()
    assert report.good_examples == len(EXAMPLES) == 3


def test_it_has_four_cases_and_the_last_is_a_refusal():
    assert len(SECTIONS) == 4
    assert '"policy": null' in SECTIONS[3]
    assert json_blocks(SECTIONS[3]) == []


@pytest.mark.parametrize("number", range(3))
def test_each_example_is_the_best_plan_with_its_own_numbers(number):
    example = EXAMPLES[number]
    assert tuple(example) == ANSWER_KEYS
    config, share = plain_question(example["config"])
    plan = plan_policy(config, example["memory_gb"] * share)
    assert example["policy"] == plan
    cost = policy_cost(config, plan)
    assert example["predicted_peak_gb"] == round(cost.peak_gb / share, 2)
    assert example["overhead"] == round(cost.overhead, 4)
    assert judge(example).optimal


@pytest.mark.parametrize("number", range(3))
def test_the_planner_for_real_models_agrees(number):
    config = EXAMPLES[number]["config"]
    shape = {key: config[key] for key in ("layers", "hidden", "heads", "seq", "batch")}
    model = ModelConfig(
        **shape,
        flash_attention=config["attention_kernel"] != "eager",
        tensor_parallel=config["tensor_parallel"],
        sequence_parallel=config["sequence_parallel"],
    )
    rates = {key: config[key] for key in ("host_bandwidth", "flops_per_second") if key in config}
    plan = plan_model(model, Hardware(EXAMPLES[number]["memory_gb"] * 10**9, **rates))
    assert list(plan.policy) == EXAMPLES[number]["policy"]
    assert round(plan.peak / 1e9, 2) == EXAMPLES[number]["predicted_peak_gb"]


def numbers_of(section):
    """Return every number of an example's prose."""
    prose = section.split("```json")[0]
    return {float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", prose)}


def test_prose_of_the_first_example():
    config, _ = plain_question(EXAMPLES[0]["config"])
    o = layer_options(config)
    counts = Counter(EXAMPLES[0]["policy"])
    room = 12 - o["full"].transient / 1e9
    selective = 24 * o["selective"].kept / 1e9
    saved = (o["selective"].kept - o["full"].kept) / 1e9
    left = room - selective + counts["full"] * saved
    expected = {24, 2048, 16, 4, 12, 1, 7, 17, 72, 1.3422}
    expected |= {round(o[name].kept / 1e9, 4) for name in ("none", "selective", "full")}
    expected |= {round(o["selective"].extra, 4), round(24 * o["none"].kept / 1e9, 2), round(selective, 2)}
    expected |= {round(o["full"].transient / 1e9, 4), round(room, 4), round(room, 2), round(saved, 4)}
    expected |= {round(left, 2), 0.1310}
    assert numbers_of(SECTIONS[0]) == expected
    assert round(o["selective"].transient / 1e9, 4) == 1.3422
    assert -(-(selective - room) // saved) == counts["full"] == 7
    assert counts["selective"] == 17


def test_prose_of_the_second_example():
    config, _ = plain_question(EXAMPLES[1]["config"])
    o = layer_options(config)
    h, s = 4096, 16384
    forward = (24 * s * h**2 + 4 * s**2 * h) / 300e12
    copy = o["none"].kept / 50e9
    room = 20 - o["offload"].transient / 1e9
    everything = 32 * o["none"].kept / 1e9
    expected = {32, 4096, 16384, 20, 50, 300, 0, 1, 26, 96}
    expected |= {
        round(o["none"].kept / 1e9, 4),
        round(forward, 4),
        round(copy, 4),
        round(copy / forward - 1, 4),
    }
    expected |= {round(everything, 2), round(o["offload"].transient / 1e9, 4), round(room, 4), round(room, 2)}
    expected |= {round(26 * o["offload"].extra / 96, 4), round(26 / 96, 4)}
    assert numbers_of(SECTIONS[1]) == expected
    assert o["offload"].extra == pytest.approx(copy / forward - 1)
    assert forward < copy < 2 * forward
    assert -(-(everything - room) // (o["none"].kept / 1e9)) == 26
    with_full = policy_cost(config, plan_policy({k: v for k, v in config.items() if "per" not in k}, 20))
    assert round(with_full.overhead, 4) == 0.2708


def test_prose_of_the_third_example():
    config, share = plain_question(EXAMPLES[2]["config"])
    o = layer_options(config)
    unit = 1e9 * share
    room = 40 - o["selective"].transient / unit
    everything = 40 * o["none"].kept / unit
    expected = {
        40,
        5120,
        4096,
        4,
        26,
        120,
        round(o["none"].kept / unit, 4),
        round(o["selective"].kept / unit, 4),
    }
    expected |= {round(o["selective"].transient / unit, 4), round(o["selective"].extra, 4)}
    expected |= {
        round(everything, 2),
        round(room, 4),
        round(room, 2),
        round(26 * o["selective"].extra / 120, 4),
    }
    assert numbers_of(SECTIONS[2]) == expected
    assert share == 4
    assert -(-(everything - room) // (o["selective"].transient / unit)) == 26


def test_prose_of_the_refusal():
    model = ModelConfig(layers=80, hidden=8192, heads=64, seq=8192, batch=1)
    with pytest.raises(DoesNotFit) as caught:
        plan_model(model, Hardware(24 * 10**9))
    o = layer_options({"layers": 80, "hidden": 8192, "heads": 64, "seq": 8192, "batch": 1})
    fused = layer_options({"layers": 80, "hidden": 8192, "heads": 64, "seq": 8192, "batch": 1, "flash_attention": True})
    helps = {remedy.change: remedy for remedy in caught.value.remedies}
    expected = {80, 8192, 64, 24, round(o["full"].kept / 1e9, 4), round(o["full"].transient / 1e9, 4)}
    expected |= {round(caught.value.smallest_peak / 1e9, 2), round(fused["full"].transient / 1e9, 4)}
    expected |= {round(helps["FlashAttention"].smallest_peak / 1e9, 2)}
    assert numbers_of(SECTIONS[3]) == expected
    assert helps["FlashAttention"].fits
    others = {
        change for change, remedy in helps.items() if remedy.smallest_peak < helps["FlashAttention"].smallest_peak
    }
    assert all("sequences" in change or "GPUs" in change for change in others)


def test_the_stated_rules_reduce_to_the_course_formulas():
    """The prompt's general formulas, evaluated as it states them."""
    s, b, h, a = 512, 3, 1024, 8
    for formula, expected in {
        "(4·v + 2)·s·b·h": 10,
        "12·v·s·b·h": 24,
        "(2·v + 1)·a·s²·b": 5 * a * s / h,
        "v·s·b·h": 2,
    }.items():
        assert formula in TEXT
        value = eval(formula.replace("·", "*").replace("²", "**2"), {"v": 2, "s": s, "b": b, "h": h, "a": a})
        assert value / (s * b * h) == expected

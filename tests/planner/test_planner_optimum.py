"""The planner's search and `plan_policy`, which tries every plan, find the same optimum."""

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lesson.policy_cost import layer_options, policy_cost
from solutions.planner.optimum import best_overhead
from solutions.policy import plan_policy

LARGEST = {"layers": 128, "hidden": 25600, "heads": 160, "seq": 2048, "batch": 1}
RATES = {"host_bandwidth": 20e9, "flops_per_second": 300e12}


@st.composite
def configs(draw):
    heads = draw(st.integers(1, 64))
    config = {
        "layers": draw(st.integers(1, 40)),
        "hidden": heads * draw(st.sampled_from([1, 16, 64, 128])),
        "heads": heads,
        "seq": draw(st.integers(1, 8192)),
        "batch": draw(st.integers(1, 8)),
        "flash_attention": draw(st.booleans()),
    }
    if draw(st.booleans()):
        forward = 24 * config["hidden"] + 4 * config["seq"]  # FLOPs of a forward for each hidden value of a token
        stored = 34 + (0 if config["flash_attention"] else 5 * heads * config["seq"] / config["hidden"])
        copy_in_forwards = draw(st.one_of(st.floats(0.2, 4), st.sampled_from([1, 2])))
        config["flops_per_second"] = 1e12
        config["host_bandwidth"] = 1e12 * stored / forward / copy_in_forwards
    return config


@st.composite
def questions(draw):
    """Draw a configuration and a budget: anywhere, or exactly the peak of some plan."""
    config = draw(configs())
    options, layers = layer_options(config), config["layers"]
    if draw(st.booleans()):
        policies = st.sampled_from(list(options))
        plan = draw(st.lists(policies, min_size=layers, max_size=layers))
        return config, policy_cost(config, plan).peak_gb
    smallest = min(layers * option.kept + option.transient for option in options.values())
    largest = layers * options["none"].kept
    return config, (smallest + draw(st.floats(-0.2, 1.1)) * (largest - smallest)) / 1e9


def least(search, config, memory_gb):
    """Return the least overhead, or infinity when nothing fits."""
    try:
        return search(config, memory_gb)
    except ValueError:
        return math.inf


def overhead_of_the_plan(config, memory_gb):
    return policy_cost(config, plan_policy(config, memory_gb)).overhead


@settings(max_examples=200, deadline=None, derandomize=True)
@given(questions())
def test_both_find_the_same_optimum(question):
    tried, searched = least(overhead_of_the_plan, *question), least(best_overhead, *question)
    assert math.isinf(tried) == math.isinf(searched)
    assert searched == pytest.approx(tried, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("memory_gb", [4, 30, 100, 500, 2000])
def test_both_agree_on_the_largest_model_of_the_course(memory_gb):
    config = {**LARGEST, **RATES}
    tried, searched = least(overhead_of_the_plan, config, memory_gb), least(best_overhead, config, memory_gb)
    assert searched == pytest.approx(tried, rel=1e-12)


def test_trying_every_plan_of_the_largest_model_is_quick():
    """Students have 10 seconds for it, and five where nothing else is said."""
    start = time.process_time()
    plan_policy({**LARGEST, **RATES}, 100)
    assert time.process_time() - start < 1


def test_the_search_goes_on_where_there_are_too_many_plans_to_try():
    config = {**LARGEST, **RATES, "layers": 1500}
    everything = best_overhead(config, 1e6)
    assert everything == 0
    assert 0 < best_overhead(config, 2000) < best_overhead(config, 1000)

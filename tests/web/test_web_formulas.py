"""The figure of the first page computes what the course's own functions compute."""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
RATES = {"hostBandwidth": 25e9, "flopsPerSecond": 156e12}
GRID = [
    {
        "layers": layers,
        "hidden": hidden,
        "heads": heads,
        "seq": seq,
        "batch": batch,
        "flashAttention": flash,
        "segment": segment,
        **RATES,
    }
    for layers, hidden, heads, seq, batch, flash, segment in itertools.product(
        [1, 7, 96], [1024, 12288], [8, 96], [512, 2048, 131072], [1, 3], [False, True], [1, 3, 10, 200]
    )
]


@pytest.fixture(scope="module")
def on_the_page():
    if not shutil.which("node") or not (WEB / "node_modules").is_dir():
        pytest.skip("needs Node.js and `npm ci` in web/")
    done = subprocess.run(
        ["node", "e2e/formulas.mjs"], cwd=WEB, input=json.dumps(GRID), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_segments_are_those_of_exercise_2(on_the_page):
    cost_model = pytest.importorskip("solutions.cost_model")
    if not hasattr(cost_model, "segment_memory"):
        pytest.skip("exercise 2 is not in this course")
    for model, costs in zip(GRID, on_the_page, strict=True):
        layer_input = 2 * model["seq"] * model["batch"] * model["hidden"]
        units = costs["none"]["peakBytes"] / model["layers"] / layer_input
        memory = layer_input * cost_model.segment_memory(model["layers"], model["segment"], units)
        assert costs["full"]["peakBytes"] == pytest.approx(memory, rel=1e-12)
        overhead = cost_model.segment_overhead(model["layers"], model["segment"])
        assert costs["full"]["overhead"] == pytest.approx(overhead, rel=1e-12)


def test_policies_are_those_of_the_last_topic(on_the_page):
    policy_cost = pytest.importorskip("lesson.policy_cost")
    for model, costs in zip(GRID, on_the_page, strict=True):
        config = {
            **{key: model[key] for key in ("layers", "hidden", "heads", "seq", "batch")},
            "flash_attention": model["flashAttention"],
            "host_bandwidth": model["hostBandwidth"],
            "flops_per_second": model["flopsPerSecond"],
        }
        for policy in ("none", "selective", "offload"):
            if costs[policy] is None:
                assert policy not in policy_cost.layer_options(config)
                continue
            due = policy_cost.policy_cost(config, [policy] * model["layers"])
            assert costs[policy]["peakBytes"] == pytest.approx(due.peak_gb * 1e9, rel=1e-12)
            assert costs[policy]["overhead"] == pytest.approx(due.overhead, rel=1e-12, abs=1e-15)
        if model["segment"] == 1:
            due = policy_cost.policy_cost(config, ["full"] * model["layers"])
            assert costs["full"]["peakBytes"] == pytest.approx(due.peak_gb * 1e9, rel=1e-12)


def test_gpt3_keeps_what_the_text_says(on_the_page):
    gpt3 = {
        "layers": 96,
        "hidden": 12288,
        "heads": 96,
        "seq": 2048,
        "batch": 1,
        "flashAttention": False,
        "segment": 1,
        **RATES,
    }
    costs = on_the_page[GRID.index(gpt3)]
    assert costs["none"]["peakBytes"] / 1e9 == pytest.approx(275, rel=0.01)

"""The planner for real models: the paper's numbers, brute force, parallelism, refusals and output."""

import itertools
import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lesson.policy_cost import layer_options as lesson_options
from lesson.policy_cost import policy_cost
from solutions.planner import allocation
from solutions.planner.allocation import Group, Option, allocate, smallest_peak, weigh
from solutions.planner.plan import (
    DoesNotFit,
    Hardware,
    LayerKind,
    ModelConfig,
    fixed_parts,
    layer_flops,
    layer_items,
    layer_options,
    plan_model,
    plan_rows,
    plan_to_dict,
    plan_to_json,
    remedies,
    smallest_reachable,
)
from solutions.planner.transformer import gradients_in_flight, stage_parameters
from solutions.policy import plan_policy

GPT3 = ModelConfig(layers=96, hidden=12288, heads=96, seq=2048, batch=1)
LLAMA_7B = ModelConfig(
    *(32, 4096, 32, 4096, 1),
    ffn=11008,
    ffn_kind="gated",
    vocabulary=32000,
    dropout=False,
    flash_attention=True,
)
GPU = Hardware(80 * 10**9)
RATES = {"host_bandwidth": 25e9, "flops_per_second": 150e12}


def kept(model, kind=None, *, core=True):
    """Return what a layer keeps in units of s·b·h bytes."""
    items = layer_items(model, kind or model.layer_kinds[0])
    size = sum(item.size for item in items if core or item.part != "core")
    return size / (model.seq * model.batch * model.hidden)


@st.composite
def questions(draw):
    """Draw a small configuration of `plan_policy` and a budget in GB around its reachable peaks."""
    heads = draw(st.integers(1, 4))
    config = {
        "layers": draw(st.integers(1, 7)),
        "hidden": heads * draw(st.integers(1, 64)),
        "heads": heads,
        "seq": draw(st.integers(1, 300)),
        "batch": 1000 * draw(st.integers(1, 4)),  # so that whole bytes are fine enough
        "flash_attention": draw(st.booleans()),
    }
    if draw(st.booleans()):
        config |= {"host_bandwidth": draw(st.floats(1e9, 1e12)), "flops_per_second": 1e12}
    options = lesson_options(config).values()
    smallest = min(config["layers"] * option.kept + option.transient for option in options)
    largest = config["layers"] * max(option.kept for option in options)
    return config, (smallest + draw(st.floats(-0.2, 1.1)) * (largest - smallest)) / 1e9 + 1e-9


def _sizes(model):
    return [(item.name, item.size) for item in layer_items(model, model.layer_kinds[0])]


# The paper's formulas.


def test_items_of_a_gpt3_layer():
    """By item in units of s·b·h, as measured in torch with dropout 0.1 (without its causal mask)."""
    unit = GPT3.seq * GPT3.batch * GPT3.hidden
    items = [(item.name, item.size / unit) for item in layer_items(GPT3, GPT3.layer_kinds[0])]
    assert items == [
        ("attention norm input", 2),
        ("query, key and value input", 2),
        ("queries", 2),
        ("keys and values", 4),
        ("softmax output", 32),
        ("softmax dropout mask", 16),
        ("softmax dropout output", 32),
        ("attention projection input", 2),
        ("attention dropout mask", 1),
        ("feed-forward norm input", 2),
        ("feed-forward input", 2),
        ("activation input", 8),
        ("second matrix input", 8),
        ("feed-forward dropout mask", 1),
    ]


@pytest.mark.parametrize("t", [1, 2, 4, 8])
@pytest.mark.parametrize(("a", "h"), [(64, 6144), (96, 12288), (128, 20480), (160, 25600)])
def test_equations_1_2_4_and_6(a, h, t):
    plain = ModelConfig(48, h, a, 2048, 4, tensor_parallel=t)
    split = replace(plain, sequence_parallel=True)
    core = 5 * a * 2048 / h
    assert kept(plain) == pytest.approx(10 + 24 / t + core / t, rel=1e-12)
    assert kept(split) == pytest.approx((34 + core) / t, rel=1e-12)
    assert kept(plain, core=False) == pytest.approx(10 + 24 / t, rel=1e-12)
    assert kept(split, core=False) == pytest.approx(34 / t, rel=1e-12)
    assert kept(replace(split, flash_attention=True)) == pytest.approx(34 / t, rel=1e-12)
    full = {sp: layer_options(m, GPU, m.layer_kinds[0])[-1] for sp, m in ((0, plain), (1, split))}
    unit = 2048 * 4 * h
    assert full[0].kept == 2 * unit
    assert full[1].kept == 2 * unit // t


def test_other_formats_and_no_dropout():
    core = GPT3.heads * GPT3.seq / GPT3.hidden
    assert kept(replace(GPT3, dropout=False)) == pytest.approx(32 + 2 * core)
    assert kept(replace(GPT3, dropout=False, flash_attention=True)) == pytest.approx(32)
    assert kept(replace(GPT3, bytes_per_value=4)) == pytest.approx(66 + 9 * core)


def test_grouped_heads_and_gated_networks():
    base = replace(LLAMA_7B, dropout=False)
    assert kept(base) == pytest.approx(16 + 4 * 2 * 11008 / 4096)
    grouped = replace(base, kv_heads=8)
    assert kept(base) - kept(grouped) == pytest.approx(4 * 3 / 4)
    eight, sixteen = (dict(_sizes(replace(grouped, tensor_parallel=t))) for t in (8, 16))
    assert sixteen["keys and values"] == eight["keys and values"]  # one head at least
    assert sixteen["queries"] == eight["queries"] / 2
    wide_heads = replace(base, head_size=256)
    assert kept(wide_heads) - kept(base) == pytest.approx(4 * 2)


def test_experts():
    """Two of eight experts: two dispatched copies, outputs and widths, and the router's probabilities."""
    kind = LayerKind("expert", 32, 14336, "gated", experts=8, experts_per_token=2)
    model = ModelConfig(*(32, 4096, 32, 4096, 1), kv_heads=8, kinds=(kind,), flash_attention=True, dropout=False)
    attention = 2 + 2 + 2 + 1 + 2
    assert kept(model) == pytest.approx(attention + 2 + 2 + 2 * (2 + 2 + 8 * 14336 / 4096) + 4 * 8 / 4096)
    shared = replace(kind, shared_ffn=4096)
    assert kept(model, shared) - kept(model) == pytest.approx(8)
    only_attention = LayerKind("attention", 1, 0)
    assert kept(model, only_attention) == pytest.approx(attention)


def test_flops():
    s, h = 2048, 12288
    assert layer_flops(GPT3, GPT3.layer_kinds[0]) == (24 * s * h**2 + 4 * s**2 * h, 4 * s**2 * h)
    dense, core = layer_flops(LLAMA_7B, LLAMA_7B.layer_kinds[0])
    assert dense - core == 2 * 4096 * (4 * 4096**2 + 3 * 4096 * 11008)


def test_parameters_of_known_models():
    assert stage_parameters(LLAMA_7B, 0) == pytest.approx(6.738e9, rel=1e-3)
    gpt3 = replace(GPT3, vocabulary=50257, tied_embeddings=True)
    assert stage_parameters(gpt3, 0) == pytest.approx(174.6e9, rel=2e-3)
    halves = replace(LLAMA_7B, pipeline_parallel=2)
    assert sum(stage_parameters(halves, stage) for stage in (0, 1)) == stage_parameters(LLAMA_7B, 0)
    eight = replace(LLAMA_7B, tensor_parallel=8)
    assert stage_parameters(eight, 0) == pytest.approx(stage_parameters(LLAMA_7B, 0) / 8, rel=1e-6)


# Planning.


def to_planner(config, memory_gb):
    model = ModelConfig(
        **{k: v for k, v in config.items() if k not in RATES},
    )
    rates = {k: v for k, v in config.items() if k in RATES}
    return model, Hardware(max(1, math.floor(memory_gb * 1e9)), **rates)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(questions())
def test_with_defaults_it_is_plan_policy(question):
    config, memory_gb = question
    model, hardware = to_planner(config, memory_gb)
    for name, option in lesson_options(config).items():
        ours = next(o for o in layer_options(model, hardware, model.layer_kinds[0]) if o.name == name)
        assert (ours.kept, ours.transient) == (option.kept, option.transient)
    try:
        expected = policy_cost(config, plan_policy(config, hardware.memory / 1e9))
    except ValueError:
        with pytest.raises(DoesNotFit):
            plan_model(model, hardware)
        return
    plan = plan_model(model, hardware)
    assert plan.overhead == pytest.approx(expected.overhead, rel=1e-9, abs=1e-15)
    assert plan.gap == 0
    assert plan.peak <= hardware.memory
    assert plan.overhead == pytest.approx(policy_cost(config, plan.policy).overhead, rel=1e-9, abs=1e-15)


@st.composite
def random_groups(draw, kinds):
    groups = []
    for index in range(kinds):
        everything = draw(st.integers(2, 10_000))
        options = [Option("none", everything, 0, 0.0)]
        for name in draw(st.sets(st.sampled_from(["selective", "full", "offload"]))):
            less = draw(st.integers(0, everything - 1))
            options.append(Option(name, less, draw(st.integers(0, 20_000)), draw(st.floats(0, 10))))
        groups.append(Group(f"kind{index}", draw(st.integers(1, 6 // kinds + 1)), tuple(options)))
    return groups


def every_choice(groups):
    per_group = [
        [Counter(names) for names in itertools.combinations_with_replacement([o.name for o in g.options], g.count)]
        for g in groups
    ]
    return [weigh(groups, [dict(c) for c in choice]) for choice in itertools.product(*per_group)]


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(st.integers(1, 2).flatmap(random_groups), st.floats(-0.05, 1.05))
def test_one_and_two_kinds_are_exact(groups, where):
    choices = every_choice(groups)
    peaks = [choice.peak for choice in choices]
    budget = min(peaks) + where * (max(peaks) - min(peaks))
    assert smallest_peak(groups) == min(peaks)
    found = allocate(groups, budget)
    fitting = [choice.extra for choice in choices if choice.peak <= budget]
    if not fitting:
        assert found is None
        return
    assert found.peak <= budget
    assert found.extra == pytest.approx(min(fitting), rel=1e-12, abs=1e-12)
    assert found.lower_bound == found.extra


@settings(max_examples=300, deadline=None, derandomize=True)
@given(random_groups(3), st.floats(0, 1.05))
def test_more_kinds_are_within_the_stated_bound(groups, where):
    choices = every_choice(groups)
    peaks = [choice.peak for choice in choices]
    budget = min(peaks) + where * (max(peaks) - min(peaks))
    best = min(choice.extra for choice in choices if choice.peak <= budget)
    found = allocate(groups, budget)
    assert found.peak <= budget
    assert found.lower_bound - 1e-9 <= best <= found.extra + 1e-9


@settings(max_examples=200, deadline=None, derandomize=True)
@given(random_groups(2), st.floats(0, 1), st.floats(1, 2))
def test_more_memory_never_costs_time(groups, where, factor):
    peaks = [choice.peak for choice in every_choice(groups)]
    budget = min(peaks) + where * (max(peaks) - min(peaks))
    assert allocate(groups, budget * factor).extra <= allocate(groups, budget).extra + 1e-12


def test_too_many_layers_for_the_exact_search(monkeypatch):
    monkeypatch.setattr(allocation, "LARGEST_GRID", 10)
    monkeypatch.setattr(allocation, "LARGEST_FRONT", 10)
    options = (Option("none", 100, 0, 0.0), Option("selective", 60, 10, 1.0), Option("full", 5, 20, 7.0))
    for groups in ([Group("a", 50, options)], [Group("a", 50, options), Group("b", 9, options)]):
        everything = 100 * sum(group.count for group in groups)
        found = allocate(groups, everything / 2)
        assert found.peak <= everything / 2
        assert found.lower_bound <= found.extra <= 1.05 * found.lower_bound


def test_two_kinds_of_real_layers():
    kinds = (
        LayerKind("dense", 3, 18432, "gated"),
        LayerKind(
            name="expert", count=29, ffn=2048, ffn_kind="gated", experts=64, experts_per_token=6, shared_ffn=2048
        ),
    )
    model = ModelConfig(*(32, 4096, 32, 4096, 2), kinds=kinds, dropout=False, vocabulary=100_000)
    plan = plan_model(model, Hardware(100 * 10**9, **RATES))
    assert plan.gap == 0
    assert len(plan.policy) == 32
    assert set(plan.stages[0].counts) == {"dense", "expert"}
    assert sum(plan.stages[0].counts["dense"].values()) == 3
    assert plan.peak <= 100 * 10**9


def test_three_kinds_state_a_bound():
    kinds = tuple(LayerKind(f"k{i}", 8, 2048 * (i + 1)) for i in range(4))
    model = ModelConfig(*(32, 2048, 16, 2048, 8), kinds=kinds)
    plan = plan_model(model, Hardware(40 * 10**9))
    assert 0 <= plan.gap < 0.01
    assert ("above the optimum by at most" in dict(plan_rows(plan))) == (plan.gap > 0)


@pytest.mark.parametrize("key", ["batch", "layers", "seq", "memory"])
def test_monotone(key):
    values = []
    unit = {"batch": 1, "layers": 12, "seq": 512, "memory": 4 * 10**9}[key]
    for step in range(1, 12):
        sizes = {"layers": 24, "memory": 30 * 10**9, key: unit * step}
        memory = sizes.pop("memory")
        model = replace(GPT3, **sizes)
        try:
            values.append(plan_model(model, Hardware(memory)).overhead)
        except DoesNotFit:
            values.append(math.inf)
    assert values == sorted(values, reverse=key == "memory")
    assert len(set(values)) > 2


def test_reasons_name_the_next_weaker_policy():
    plan = plan_model(GPT3, Hardware(60 * 10**9))
    assert Counter(plan.policy) == {"selective": 65, "full": 31}
    by_policy = {reason.policy: reason for reason in plan.reasons}
    assert by_policy["full"].weaker == "selective"
    assert by_policy["selective"].weaker == "none"
    for reason in plan.reasons:
        assert reason.peak == plan.hardware.memory + reason.over
        assert reason.over > 0
        assert "too much" in str(reason)
    assert plan_model(GPT3, Hardware(10**12)).reasons == ()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(questions())
def test_reasons_always_hold(question):
    model, hardware = to_planner(*question)
    try:
        plan = plan_model(model, hardware)
    except DoesNotFit:
        return
    policies = Counter(plan.policy)
    extras = {o.name: o.extra for o in layer_options(model, hardware, model.layer_kinds[0])}
    slow = {policy for policy in policies if any(e < extras[policy] for e in extras.values())}
    assert {reason.policy for reason in plan.reasons} == slow
    assert all(reason.over > 0 for reason in plan.reasons)


def test_uniform_plans_and_the_true_selective_overheads():
    golden = {"22B": 1.73, "175B": 0.90, "530B": 0.55, "1T": 0.44}
    shapes = {
        "22B": (48, 6144, 64),
        "175B": (96, 12288, 96),
        "530B": (105, 20480, 128),
        "1T": (128, 25600, 160),
    }
    for name, shape in shapes.items():
        model = ModelConfig(*shape, 2048, 1, vocabulary=51200)
        plan = plan_model(model, Hardware(10**15))
        assert 100 * plan.uniform["selective"][1] == pytest.approx(golden[name], abs=0.005)
        assert plan.uniform["none"][1] == 0
        assert "offload" not in plan.uniform


# Outside the layers.


def test_logits_embedding_and_ends():
    """Golden: 28 layers, hidden 2048, batch 2, 1,024 tokens: 2.03 GB of logits with 248,000 tokens."""
    model = ModelConfig(28, 2048, 16, 1024, 2, vocabulary=248_000, flash_attention=True)
    parts = plan_model(model, GPU).parts
    assert parts.logits == parts.logits_gradient == pytest.approx(2.03e9, rel=2e-3)
    assert parts.layers == pytest.approx(3.99e9, rel=1e-3)
    assert parts.embedding == 1024 * 2 * 2048
    assert parts.output_inputs == 4 * 1024 * 2 * 2048
    assert parts.total == sum((parts.layers, parts.embedding, parts.output_inputs, 2 * parts.logits))
    chunked = fixed_parts(replace(model, loss_chunks=8), GPU, 0)
    assert chunked.logits == parts.logits // 8


def test_extra_terms_of_the_22b_model():
    model = ModelConfig(48, 6144, 64, 2048, 4, vocabulary=51200, tensor_parallel=8, sequence_parallel=True)
    parts = fixed_parts(model, GPU, 0)
    layers = 48 * kept(model) * 2048 * 4 * 6144
    extra = parts.embedding + parts.output_inputs + parts.logits
    assert 100 * extra / layers == pytest.approx(0.57, abs=0.005)


def test_gradients_in_flight_of_gpt3():
    """Golden: torch 2.13 has 58 s·b·h of gradients when a mask of 1 has gone (outputs/planner_against_torch.md)."""
    assert gradients_in_flight(GPT3, GPT3.layer_kinds[0]) == 57 * GPT3.seq * GPT3.batch * GPT3.hidden
    # They are not part of a plan for activations alone.
    assert plan_model(GPT3, Hardware(10**13)).parts.gradients_in_flight == 0
    whole = plan_model(GPT3, Hardware(10**13, holds="everything"))
    assert whole.parts.gradients_in_flight == 57 * GPT3.seq * GPT3.batch * GPT3.hidden


@given(
    st.sampled_from([64, 128, 4096]),
    st.sampled_from([1, 2, 8]),
    st.sampled_from([16, 512, 32768]),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(["gelu", "gated"]),
)
def test_gradients_in_flight_are_more_than_those_of_the_last_matrix(hidden, heads, seq, batch, dropout, kind):
    model = ModelConfig(2, hidden, heads, seq, batch, dropout=dropout, ffn_kind=kind)
    found = gradients_in_flight(model, model.layer_kinds[0])
    assert found >= 2 * 4 * hidden * (seq * batch + hidden)
    assert found <= gradients_in_flight(replace(model, batch=batch + 1), model.layer_kinds[0])
    if heads > 1:
        assert gradients_in_flight(replace(model, tensor_parallel=2), model.layer_kinds[0]) < found


def test_without_a_vocabulary_nothing_is_outside():
    assert fixed_parts(GPT3, GPU, 0).total == 0


def test_total_memory_counts_weights_gradients_and_optimizer():
    hardware = Hardware(160 * 10**9, holds="everything", reserved=2 * 10**9)
    plan = plan_model(LLAMA_7B, hardware)
    parameters = stage_parameters(LLAMA_7B, 0)
    assert plan.parts.weights == plan.parts.gradients == 2 * parameters
    assert plan.parts.optimizer == 12 * parameters
    assert plan.parts.reserved == 2 * 10**9
    sharded = replace(hardware, data_parallel=8, zero_stage=3)
    assert fixed_parts(LLAMA_7B, sharded, 0).weights == math.ceil(2 * parameters / 8)
    assert fixed_parts(LLAMA_7B, replace(sharded, zero_stage=1), 0).weights == 2 * parameters
    with pytest.raises(DoesNotFit) as caught:
        plan_model(LLAMA_7B, Hardware(80 * 10**9, holds="everything"))
    assert any("sharding" in remedy.change and remedy.fits for remedy in caught.value.remedies)


# Pipelines.


@pytest.mark.parametrize(
    ("shape", "p", "golden"),
    [
        ((48, 6144, 64, 2048, 4), 1, (59.25, 39.56, 29.25, 9.56, 4.50)),
        ((96, 12288, 96, 2048, 1), 8, (51.75, 32.06, 29.25, 9.56, 4.50)),
        ((105, 20480, 128, 2048, 1), 35, (86.13, 50.24, 53.32, 17.43, 8.20)),
        ((128, 25600, 160, 2048, 1), 64, (131.25, 76.56, 81.25, 26.56, 12.50)),
    ],
)
def test_first_stage_totals(shape, p, golden):
    """Golden: GiB on the first stage with TP, TP + SP, TP + selective, all three, and full (TP)."""
    found = {}
    for sequence_parallel in (False, True):
        model = ModelConfig(*shape, tensor_parallel=8, sequence_parallel=sequence_parallel, pipeline_parallel=p)
        for option in layer_options(model, GPU, model.layer_kinds[0], stage=0):
            found[option.name, sequence_parallel] = option.kept * (model.layers // p) / 2**30
    keys = [("none", False), ("none", True), ("selective", False), ("selective", True), ("full", False)]
    assert [found[key] for key in keys] == pytest.approx(golden, abs=0.005)


def test_microbatches_in_flight():
    model = replace(GPT3, pipeline_parallel=8)
    assert [model.in_flight(stage) for stage in (0, 1, 7)] == [8, 7, 1]
    interleaved = replace(model, interleaving=3)
    assert interleaved.in_flight(0) == 8 * (1 + Fraction(7, 24))
    assert interleaved.in_flight(7) == Fraction(17, 3)
    assert replace(model, microbatches=2).in_flight(0) == 2
    assert [interleaved.stage_of(layer) for layer in (0, 3, 4, 31, 32, 95)] == [0, 0, 1, 7, 0, 7]


def test_stages_are_planned_one_by_one():
    model = replace(GPT3, pipeline_parallel=8, tensor_parallel=8, sequence_parallel=True, vocabulary=51200)
    plan = plan_model(model, Hardware(20 * 10**9))
    overheads = [stage.overhead for stage in plan.stages]
    assert overheads == sorted(overheads, reverse=True)
    assert overheads[0] > 0 == overheads[-1]
    assert plan.overhead == pytest.approx(sum(overheads))
    assert all(stage.parts.total <= 20 * 10**9 for stage in plan.stages)
    assert plan.stages[0].parts.logits == 0 < plan.stages[-1].parts.logits
    assert plan.stages[0].parts.embedding == 8 * 2048 * 12288 // 8
    assert len(plan.policy) == 96
    assert plan.policy[-12:] == ("none",) * 12


# Refusals.


def test_what_would_help():
    hopeless = ModelConfig(80, 8192, 64, 8192, 2, vocabulary=128_256)
    with pytest.raises(DoesNotFit, match="smallest reachable peak") as caught:
        plan_model(hopeless, Hardware(24 * 10**9))
    refusal = caught.value
    assert refusal.smallest_peak == smallest_reachable(hopeless, Hardware(24 * 10**9))[0]
    changes = [remedy.change for remedy in refusal.remedies]
    for words in ("batch of 1", "FlashAttention", "sequences of 4096", "tensor and sequence", "logits"):
        assert any(words in change for change in changes), words
    peaks = [remedy.smallest_peak for remedy in refusal.remedies]
    assert peaks == sorted(peaks)
    assert max(peaks) < refusal.smallest_peak
    for remedy in refusal.remedies:
        assert remedy.fits == (remedy.smallest_peak <= 24 * 10**9)
    assert refusal.remedies[0].change in str(refusal)
    form = json.loads(json.dumps(refusal.to_dict(), allow_nan=False))
    assert form["policy"] is None
    assert form["smallest_peak_gb"] == pytest.approx(refusal.smallest_peak / 1e9)
    assert len(form["what_would_help"]) == len(changes)


def test_offload_is_proposed_where_it_helps():
    model = ModelConfig(80, 8192, 64, 8192, 2, flash_attention=True)
    assert any("offload" in remedy.change for remedy in remedies(model, GPU))
    assert not any("offload" in remedy.change for remedy in remedies(model, replace(GPU, **RATES)))


def test_the_smallest_peak_is_reachable_and_one_byte_less_is_not():
    model = replace(LLAMA_7B, flash_attention=False, tensor_parallel=2)
    smallest, _ = smallest_reachable(model, Hardware(1))
    assert plan_model(model, Hardware(smallest)).peak == smallest
    with pytest.raises(DoesNotFit):
        plan_model(model, Hardware(smallest - 1))


def test_impossible_changes_are_not_proposed():
    model = ModelConfig(1, 8, 1, 1, 1, flash_attention=True)
    assert [remedy.change for remedy in remedies(model, Hardware(1))] == []
    with pytest.raises(DoesNotFit) as caught:
        plan_model(model, Hardware(1))
    assert "What helps" not in str(caught.value)


# Output.


def test_json_is_strict_and_complete():
    kinds = (LayerKind("dense", 4, 8192), LayerKind("expert", 4, 1024, "gated", 8, 2))
    model = ModelConfig(8, 2048, 16, 2048, 2, kinds=kinds, vocabulary=50_000)
    plan = plan_model(model, Hardware(8 * 10**9, **RATES))
    value = json.loads(plan_to_json(plan), parse_constant=pytest.fail)
    assert value == json.loads(json.dumps(plan_to_dict(plan)))
    assert len(value["policy"]) == value["config"]["layers"] == 8
    assert value["predicted_peak_gb"] == pytest.approx(sum(value["peak_parts_gb"].values()))
    assert value["config"]["kinds"][1]["experts"] == 8
    assert value["why_not_weaker"][0]["over_gb"] > 0


def test_json_of_the_defaults_is_an_answer():
    plan = plan_model(replace(GPT3, layers=24), Hardware(20 * 10**9))
    value = plan_to_dict(plan)
    config = {key: value["config"][key] for key in ("layers", "hidden", "heads", "seq", "batch")}
    cost = policy_cost(config, value["policy"])
    assert cost.peak_gb == pytest.approx(value["predicted_peak_gb"])
    assert cost.overhead == pytest.approx(value["overhead"])


def test_rows():
    rows = dict(plan_rows(plan_model(replace(GPT3, vocabulary=50257), Hardware(60 * 10**9))))
    assert rows["predicted peak"].endswith("of 60 GB")
    assert any(name.startswith("layers 0-") and value == "full" for name, value in rows.items())
    assert {"rebuilt layer", "logits", "logits gradient", "overhead", "full everywhere"} <= set(rows)


# What makes no sense.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"layers": 0}, "layers"),
        ({"batch": 1.5}, "batch"),
        ({"seq": True}, "seq"),
        ({"kv_heads": 0}, "kv_heads"),
        ({"vocabulary": -1}, "vocabulary"),
        ({"ffn_kind": "relu"}, "ffn_kind"),
        ({"heads": 7}, "heads must divide hidden"),
        ({"kv_heads": 5}, "kv_heads"),
        ({"tensor_parallel": 5}, "tensor_parallel"),
        ({"tensor_parallel": 6, "kv_heads": 4}, "the other way round"),
        ({"tensor_parallel": 32, "sequence_parallel": True, "seq": 100}, "divide seq"),
        ({"pipeline_parallel": 7}, "multiple of"),
        ({"interleaving": 2}, "more than one"),
        ({"ffn": 1001, "tensor_parallel": 2}, "feed-forward"),
        ({"kinds": (LayerKind("a", 95, 8),)}, "95 layers"),
        ({"kinds": (LayerKind("a", 95, 8), LayerKind("a", 1, 16))}, "different names"),
        ({"kinds": (LayerKind("a", 0, 8),)}, "count at least 1"),
        ({"kinds": (LayerKind("a", 96, 8, "silu"),)}, "ffn_kind"),
        ({"kinds": (LayerKind("a", 96, 8, experts=4),)}, "experts_per_token"),
        ({"kinds": (LayerKind("a", 96, 8, experts_per_token=4),)}, "experts_per_token"),
    ],
)
def test_wrong_models(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(GPT3, **changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"memory": 0}, "memory"),
        ({"memory": 1e9}, "memory"),
        ({"holds": "weights"}, "holds"),
        ({"host_bandwidth": -1.0}, "host_bandwidth"),
        ({"flops_per_second": math.nan}, "flops_per_second"),
        ({"reserved": -1}, "reserved"),
        ({"zero_stage": 4}, "zero_stage"),
        ({"data_parallel": 0}, "data_parallel"),
    ],
)
def test_wrong_hardware(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(GPU, **changes)

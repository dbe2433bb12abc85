"""The planner for real models, of which `plan_policy` is the graded core.

What `plan_policy` leaves out, a real run has: grouped key and value heads, gated feed-forward networks,
experts, another number format, no dropout, tensor, sequence and pipeline parallelism, a vocabulary, and
weights that share the GPU with the activations. With all of them at their defaults both agree to the byte.
The memory model is in `solutions.planner.transformer`, the search in `solutions.planner.allocation`.

"K22" is Korthikanti et al. 2022, arXiv 2205.05198.
"""

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from lesson.policy_cost import GB, POLICIES
from solutions.planner.allocation import Allocation, Group, Option, allocate, smallest_peak, weigh
from solutions.planner.hugging_face import from_hf_config
from solutions.planner.transformer import (
    Item,
    LayerKind,
    ModelConfig,
    gradients_in_flight,
    layer_flops,
    layer_items,
    logits_flops,
    stage_parameters,
)
from solutions.planner.units import format_gb, parse_bandwidth, parse_bytes, parse_flops

__all__ = [
    "DoesNotFit",
    "Hardware",
    "Item",
    "LayerKind",
    "ModelConfig",
    "Parts",
    "Plan",
    "Reason",
    "Remedy",
    "StagePlan",
    "fixed_parts",
    "from_hf_config",
    "layer_flops",
    "layer_items",
    "layer_options",
    "parse_bandwidth",
    "parse_bytes",
    "parse_flops",
    "plan_model",
    "plan_rows",
    "plan_to_dict",
    "plan_to_json",
    "remedies",
    "smallest_reachable",
]


@dataclass(frozen=True)
class Hardware:
    """The GPU that has to hold it.

    Attributes
    ----------
    memory
        Bytes.
    holds
        What these bytes are for: "activations" only, or "everything", so that weights, gradients and
        optimizer state are taken off first.
    host_bandwidth, flops_per_second
        Bytes per second from the GPU to the host's memory, and what the GPU computes per second in
        practice. Both are needed before "offload" may be used.
    weight_bytes, gradient_bytes, optimizer_bytes
        Per parameter. The defaults are 16-bit training with Adam: a 32-bit copy and two moments.
    data_parallel, zero_stage
        Number of data-parallel ranks, and what is sharded over them: 1 the optimizer, 2 gradients too, 3 all.
    reserved
        Bytes that are never available (context, communication buffers, fragmentation).
    """

    memory: int
    holds: Literal["activations", "everything"] = "activations"
    host_bandwidth: float | None = None
    flops_per_second: float | None = None
    weight_bytes: float = 2
    gradient_bytes: float = 2
    optimizer_bytes: float = 12
    data_parallel: int = 1
    zero_stage: int = 0
    reserved: int = 0

    def __post_init__(self) -> None:
        _check_hardware(self)

    @property
    def can_offload(self) -> bool:
        """Return whether both rates are known."""
        return self.host_bandwidth is not None and self.flops_per_second is not None


@dataclass(frozen=True)
class Parts:
    """What a GPU's memory holds at the predicted peak, in bytes.

    Attributes
    ----------
    layers
        What all layers keep, for all microbatches under way.
    rebuilt_layer
        The largest transient: a layer being rebuilt, or on its way to and from the host.
    embedding, output_inputs
        The mask of the embedding's dropout; the inputs of the last norm and of the output layer.
    logits, logits_gradient
        32-bit logits and their gradient.
    gradients_in_flight
        What the backward of one layer needs besides what the layer keeps: see `transformer.gradients_in_flight`.
    weights, gradients, optimizer, reserved
        Like `gradients_in_flight` zero when the memory is for activations only.
    """

    layers: int = 0
    rebuilt_layer: int = 0
    embedding: int = 0
    output_inputs: int = 0
    logits: int = 0
    logits_gradient: int = 0
    weights: int = 0
    gradients: int = 0
    optimizer: int = 0
    reserved: int = 0
    gradients_in_flight: int = 0

    @property
    def total(self) -> int:
        """Return the sum: an upper bound, as if all parts were largest at the same moment."""
        return sum(dataclasses.astuple(self))


@dataclass(frozen=True)
class Reason:
    """Why one more layer with a weaker policy did not fit.

    Attributes
    ----------
    kind
        The kind of layer.
    policy, weaker
        The policy that one such layer has, and the one that would cost less time.
    peak, over
        The peak with the weaker one, and by how much it exceeds the memory, in bytes.
    """

    kind: str
    policy: str
    weaker: str
    peak: int
    over: int

    def __str__(self) -> str:
        return (
            f"One {self.kind} fewer on {self.policy}, on {self.weaker} instead, would peak at "
            f"{format_gb(self.peak)}: {format_gb(self.over)} too much."
        )


@dataclass(frozen=True)
class StagePlan:
    """The plan for one stage: its peak in parts, its added time, and per kind the layers of each policy."""

    stage: int
    parts: Parts
    overhead: float
    counts: dict[str, dict[str, int]]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the planner recommends.

    Attributes
    ----------
    policy
        One per layer of the model.
    parts
        The peak of the fullest stage, split up.
    overhead
        Added time as a fraction of a step (forward and backward, output layer included).
    gap
        By how much the overhead may lie above the optimum, at most. 0.0: this is the optimum.
    reasons
        Why the next weaker policies did not fit, for the stage that adds the most time.
    uniform
        Policy → (peak, overhead) if all layers had the same one.
    stages
        The plan of every pipeline stage.
    """

    model: ModelConfig
    hardware: Hardware
    policy: tuple[str, ...]
    parts: Parts
    overhead: float
    gap: float
    reasons: tuple[Reason, ...]
    uniform: dict[str, tuple[int, float]]
    stages: tuple[StagePlan, ...] = field(repr=False)

    @property
    def peak(self) -> int:
        """Return the predicted peak of the fullest stage in bytes."""
        return self.parts.total


@dataclass(frozen=True)
class Remedy:
    """A change that lowers the smallest reachable peak, that peak in bytes, and whether it fits."""

    change: str
    smallest_peak: int
    fits: bool


class DoesNotFit(ValueError):
    """No plan fits. Carries the smallest reachable peak in bytes and what would help, the best first."""

    def __init__(self, memory: int, smallest: int, stage: int, remedies: Sequence[Remedy]) -> None:
        self.memory = memory
        self.smallest_peak = smallest
        self.stage = stage
        self.remedies = tuple(remedies)
        sentence = f"No plan fits {format_gb(memory)}: the smallest reachable peak is {format_gb(smallest)}."
        if self.remedies:
            best = self.remedies[0]
            verdict = "which fits" if best.fits else "which is still too much"
            sentence += f" What helps most: {best.change}, down to {format_gb(best.smallest_peak)}, {verdict}."
        super().__init__(sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return the refusal as plain values, in the form of a refusing answer, sizes in GB of 10^9 bytes."""
        return {
            "memory_gb": self.memory / GB,
            "policy": None,
            "smallest_peak_gb": self.smallest_peak / GB,
            "stage": self.stage,
            "what_would_help": [
                {"change": remedy.change, "smallest_peak_gb": remedy.smallest_peak / GB, "fits": remedy.fits}
                for remedy in self.remedies
            ],
        }


def layer_options(model: ModelConfig, hardware: Hardware, kind: LayerKind, stage: int = 0) -> tuple[Option, ...]:
    """Return what each policy costs a layer of this kind on a stage; added time in FLOPs of all ranks.

    A stage keeps a layer's activations once per microbatch under way, but rebuilds one at a time.
    """
    items = layer_items(model, kind)
    everything = sum(item.size for item in items)
    core = sum(item.size for item in items if item.part == "core")
    layer_input = items[0].size
    flops, core_flops = layer_flops(model, kind)
    held = model.in_flight(stage)

    def option(name: str, kept: int, transient: int, extra: float) -> Option:
        return Option(name, math.ceil(kept * held), transient, extra)

    options = [option("none", everything, 0, 0.0)]
    if core:
        options.append(option("selective", everything - core, core, float(core_flops)))
    options.append(option("full", layer_input, everything - layer_input, float(flops)))
    if hardware.host_bandwidth is not None and hardware.flops_per_second is not None:
        forward_time = flops / model.tensor_parallel / hardware.flops_per_second
        copy = everything / hardware.host_bandwidth / forward_time
        options.append(option("offload", 0, 2 * everything, (max(0.0, copy - 1) + max(0.0, copy - 2)) * flops))
    return tuple(options)


def fixed_parts(model: ModelConfig, hardware: Hardware, stage: int) -> Parts:
    """Return what a stage holds whatever the policy (K22, 4.3, and gradients that pass)."""
    t, p = model.tensor_parallel, model.pipeline_parallel
    last = stage == p - 1
    stream = model.seq * model.batch * model.hidden // (t if model.sequence_parallel else 1)
    under_way = min(p if model.interleaving == 1 else 2 * p - 1, model.microbatches or 2 * p)
    mask = stream * under_way if model.vocabulary and model.dropout and stage == 0 else 0
    ends = 2 * model.bytes_per_value * stream if model.vocabulary and last else 0
    per_rank = math.ceil(model.vocabulary / t)
    logits = math.ceil(4 * model.seq * model.batch * per_rank / model.loss_chunks) if last else 0
    parts = Parts(embedding=mask, output_inputs=ends, logits=logits, logits_gradient=logits)
    if hardware.holds == "activations":
        return parts
    parameters = stage_parameters(model, stage)

    def state(per_parameter: float, shard_from: int) -> int:
        ranks = hardware.data_parallel if hardware.zero_stage >= shard_from else 1
        return math.ceil(parameters * per_parameter / ranks)

    return replace(
        parts,
        weights=state(hardware.weight_bytes, 3),
        gradients=state(hardware.gradient_bytes, 2),
        optimizer=state(hardware.optimizer_bytes, 1),
        reserved=hardware.reserved,
        gradients_in_flight=max(
            gradients_in_flight(model, kind)
            for layer, kind in enumerate(model.layer_kinds)
            if model.stage_of(layer) == stage
        ),
    )


def plan_model(model: ModelConfig, hardware: Hardware) -> Plan:
    """Find the policies with the least time overhead that fit every pipeline stage.

    Exact for models with one or two kinds of layers (`gap` is 0); with more kinds `gap` bounds the distance
    from the optimum. Stages are planned one by one: each has its own memory, and the sum of what they add
    is least when each adds the least.

    Raises
    ------
    DoesNotFit
        If some stage cannot be made to fit; it carries the smallest reachable peak and what would help.
    """
    step = 3 * (sum(layer_flops(model, kind)[0] for kind in model.layer_kinds) + logits_flops(model))
    chosen: list[tuple[tuple[Group, ...], Parts, Allocation]] = []
    for stage in range(model.pipeline_parallel):
        groups, fixed = _stage_groups(model, hardware, stage), fixed_parts(model, hardware, stage)
        found = _allocate(groups, hardware.memory - fixed.total)
        if found is None:
            raise _does_not_fit(model, hardware)
        chosen.append((groups, fixed, found))

    stages = tuple(
        StagePlan(
            stage,
            replace(fixed, layers=found.kept, rebuilt_layer=found.transient),
            found.extra / step,
            {group.name: dict(counts) for group, counts in zip(groups, found.counts, strict=True)},
        )
        for stage, (groups, fixed, found) in enumerate(chosen)
    )
    slowest = max(range(len(stages)), key=lambda stage: (stages[stage].overhead, -stage))
    extra = math.fsum(found.extra for *_, found in chosen)
    gap = math.fsum(found.extra - found.lower_bound for *_, found in chosen)
    return Plan(
        model=model,
        hardware=hardware,
        policy=_spread(model, stages),
        parts=max((plan.parts for plan in stages), key=lambda parts: parts.total),
        overhead=extra / step,
        gap=gap / step,
        reasons=tuple(_reasons(*chosen[slowest], hardware.memory)),
        uniform=_uniform(chosen, step),
        stages=stages,
    )


def smallest_reachable(model: ModelConfig, hardware: Hardware) -> tuple[int, int]:
    """Return the smallest reachable peak in bytes of the stage that needs the most, and that stage."""
    peaks = [
        fixed_parts(model, hardware, stage).total + smallest_peak(_stage_groups(model, hardware, stage))
        for stage in range(model.pipeline_parallel)
    ]
    return max(peaks), peaks.index(max(peaks))


def remedies(model: ModelConfig, hardware: Hardware) -> list[Remedy]:
    """Return single changes that lower the smallest reachable peak, found by trying them, the best first."""
    now = smallest_reachable(model, hardware)[0]
    found = []
    for change, build in _changes(model, hardware):
        try:
            peak = smallest_reachable(*build())[0]
        except ValueError:  # the change does not go with this model, such as more ranks than heads
            continue
        if peak < now:
            found.append(Remedy(change, peak, peak <= hardware.memory))
    return sorted(found, key=lambda remedy: (remedy.smallest_peak, remedy.change))


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Return the plan as plain values: the keys of an answer (see `solutions.planner.answers`) and everything else.

    Sizes in GB of 10^9 bytes, never NaN or infinite.
    """
    model, hardware = plan.model, plan.hardware
    return {
        "config": {
            **{key: value for key, value in dataclasses.asdict(model).items() if value is not None and key != "kinds"},
            **({"kinds": [dataclasses.asdict(kind) for kind in model.kinds]} if model.kinds else {}),
            "host_bandwidth": hardware.host_bandwidth,
            "flops_per_second": hardware.flops_per_second,
        },
        "memory_gb": hardware.memory / GB,
        "memory_holds": hardware.holds,
        "policy": list(plan.policy),
        "predicted_peak_gb": plan.peak / GB,
        "overhead": plan.overhead,
        "overhead_above_optimum_at_most": plan.gap,
        "peak_parts_gb": {name: size / GB for name, size in dataclasses.asdict(plan.parts).items()},
        "why_not_weaker": [
            {
                "kind": reason.kind,
                "policy": reason.policy,
                "weaker": reason.weaker,
                "peak_gb": reason.peak / GB,
                "over_gb": reason.over / GB,
                "sentence": str(reason),
            }
            for reason in plan.reasons
        ],
        "uniform": {
            policy: {"peak_gb": peak / GB, "overhead": overhead} for policy, (peak, overhead) in plan.uniform.items()
        },
        "stages": [
            {
                "stage": stage.stage,
                "peak_gb": stage.parts.total / GB,
                "overhead": stage.overhead,
                "layers": stage.counts,
            }
            for stage in plan.stages
        ],
    }


def plan_to_json(plan: Plan) -> str:
    """Return `plan_to_dict` as strict JSON."""
    return json.dumps(plan_to_dict(plan), indent=2, allow_nan=False, ensure_ascii=False)


def plan_rows(plan: Plan) -> list[tuple[str, str]]:
    """Return the plan as rows of a table: what, and its value as text."""
    rows = [(f"layers {_ranges(indices)}", policy) for policy, indices in _runs(plan.policy)]
    rows += [(name.replace("_", " "), format_gb(size)) for name, size in dataclasses.asdict(plan.parts).items() if size]
    rows.append(("predicted peak", f"{format_gb(plan.peak)} of {format_gb(plan.hardware.memory)}"))
    rows.append(("overhead", f"{100 * plan.overhead:.2f} % of a step"))
    if plan.gap:
        rows.append(("above the optimum by at most", f"{100 * plan.gap:.3g} % of a step"))
    rows += [("why not weaker", str(reason)) for reason in plan.reasons]
    rows += [
        (f"{policy} everywhere", f"{format_gb(peak)}, overhead {100 * overhead:.2f} %")
        for policy, (peak, overhead) in plan.uniform.items()
    ]
    return rows


def _stage_groups(model: ModelConfig, hardware: Hardware, stage: int) -> tuple[Group, ...]:
    """Return the layers of a stage, equal ones together."""
    kinds = Counter(kind for layer, kind in enumerate(model.layer_kinds) if model.stage_of(layer) == stage)
    return tuple(Group(kind.name, count, layer_options(model, hardware, kind, stage)) for kind, count in kinds.items())


@lru_cache(maxsize=256)
def _allocate(groups: tuple[Group, ...], budget: int) -> Allocation | None:
    return allocate(groups, budget)


def _reasons(groups: tuple[Group, ...], fixed: Parts, found: Allocation, memory: int) -> Iterable[Reason]:
    """Try, for every policy in use, one layer fewer on it and one more on the next faster policy."""
    for index, group in enumerate(groups):
        extras = {option.name: option.extra for option in group.options}
        for policy in found.counts[index]:
            faster = [name for name in extras if extras[name] < extras[policy]]
            if not faster:
                continue
            weaker = max(faster, key=lambda name: (extras[name], name))
            moved = Counter(found.counts[index])
            moved[policy] -= 1
            moved[weaker] += 1
            counts = [dict(moved) if i == index else row for i, row in enumerate(found.counts)]
            peak = fixed.total + weigh(groups, counts).peak
            if peak > memory:
                yield Reason(group.name, policy, weaker, peak, peak - memory)


def _uniform(
    chosen: Sequence[tuple[tuple[Group, ...], Parts, Allocation]], step: float
) -> dict[str, tuple[int, float]]:
    """Return peak and overhead if all layers had the same policy, for every policy that all layers offer."""
    result = {}
    for policy in POLICIES:
        if not all(any(o.name == policy for o in group.options) for groups, *_ in chosen for group in groups):
            continue
        costs = [weigh(groups, [{policy: group.count} for group in groups]) for groups, *_ in chosen]
        peak = max(fixed.total + cost.peak for (_, fixed, _), cost in zip(chosen, costs, strict=True))
        result[policy] = (peak, math.fsum(cost.extra for cost in costs) / step)
    return result


def _spread(model: ModelConfig, stages: Sequence[StagePlan]) -> tuple[str, ...]:
    """Return a policy per layer: within a stage and kind the stronger ones first.

    The last layers are differentiated first, so that their memory is free again when the first ones are
    rebuilt.
    """
    queues = {
        (plan.stage, kind): iter([name for name in reversed(POLICIES) for _ in range(counts.get(name, 0))])
        for plan in stages
        for kind, counts in plan.counts.items()
    }
    return tuple(next(queues[model.stage_of(layer), kind.name]) for layer, kind in enumerate(model.layer_kinds))


def _does_not_fit(model: ModelConfig, hardware: Hardware) -> DoesNotFit:
    smallest, stage = smallest_reachable(model, hardware)
    return DoesNotFit(hardware.memory, smallest, stage, remedies(model, hardware))


def _changes(model: ModelConfig, hardware: Hardware) -> list[tuple[str, Callable[[], tuple[ModelConfig, Hardware]]]]:
    """Return the changes worth trying, each with a function that makes it or raises ValueError."""

    def new(**changes: Any) -> Callable[[], tuple[ModelConfig, Hardware]]:
        return lambda: (replace(model, **changes), hardware)

    t, p = model.tensor_parallel, model.pipeline_parallel
    changes = []
    if model.batch > 1:
        changes.append((f"a batch of {model.batch // 2} instead of {model.batch}", new(batch=model.batch // 2)))
    if not model.flash_attention:
        changes.append(("FlashAttention", new(flash_attention=True)))
    if t > 1 and not model.sequence_parallel:
        changes.append(("sequence parallelism", new(sequence_parallel=True)))
    changes.append(
        (
            f"tensor and sequence parallelism over {2 * t} GPUs",
            new(tensor_parallel=2 * t, sequence_parallel=True),
        )
    )
    if model.seq > 1:
        changes.append((f"sequences of {model.seq // 2} instead of {model.seq}", new(seq=model.seq // 2)))
    if model.vocabulary:
        pieces = 8 * model.loss_chunks
        changes.append((f"computing logits and loss in {pieces} pieces", new(loss_chunks=pieces)))
    if not hardware.can_offload:
        rates = replace(hardware, host_bandwidth=1.0, flops_per_second=1.0)
        changes.append(("offloading to the host (state its bandwidth and the GPU's speed)", lambda: (model, rates)))
    if hardware.holds == "everything":
        ranks = max(8, hardware.data_parallel)
        zero = replace(hardware, data_parallel=ranks, zero_stage=3)
        changes.append((f"sharding weights, gradients and optimizer over {ranks} ranks", lambda: (model, zero)))
        changes.append((f"{2 * p} pipeline stages", new(pipeline_parallel=2 * p)))
    return changes


def _runs(policy: Sequence[str]) -> list[tuple[str, list[int]]]:
    where: dict[str, list[int]] = {}
    for index, name in enumerate(policy):
        where.setdefault(name, []).append(index)
    return sorted(where.items(), key=lambda run: run[1][0])


def _ranges(indices: Sequence[int]) -> str:
    """Write ascending numbers such as 0-3, 7."""
    starts = [i for i in indices if i - 1 not in set(indices)]
    ends = [i for i in indices if i + 1 not in set(indices)]
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def _check_hardware(hardware: Hardware) -> None:
    if not isinstance(hardware.memory, int) or hardware.memory < 1:
        raise ValueError(f"memory must be a whole number of bytes, not {hardware.memory!r}.")
    if hardware.holds not in ("activations", "everything"):
        raise ValueError(f"holds must be 'activations' or 'everything', not {hardware.holds!r}.")
    for name in ("host_bandwidth", "flops_per_second"):
        rate = getattr(hardware, name)
        if rate is not None and not (math.isfinite(rate) and rate > 0):
            raise ValueError(f"{name} must be a positive number per second, not {rate!r}.")
    for name in ("weight_bytes", "gradient_bytes", "optimizer_bytes", "reserved"):
        size = getattr(hardware, name)
        if not (math.isfinite(size) and size >= 0):
            raise ValueError(f"{name} must not be negative, not {size!r}.")
    if hardware.data_parallel < 1 or hardware.zero_stage not in (0, 1, 2, 3):
        raise ValueError("data_parallel must be at least 1, and zero_stage 0, 1, 2 or 3.")

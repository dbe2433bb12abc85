"""Homework, part 4: the plan and the prompt."""

import json
import math
from itertools import product

from lesson.policy_cost import layer_options, policy_cost


def plan_policy(config, memory_gb):
    options = layer_options(config)
    layers, budget = config["layers"], memory_gb * 1e9
    *others, last = (name for name in options if name != "none")
    none = options["none"]
    best, best_extra = None, math.inf
    for counts in product(range(layers + 1), repeat=len(others)):
        left = layers - sum(counts)
        if left < 0:
            continue
        chosen = [(n, options[name]) for n, name in zip(counts, others) if n]
        kept = left * none.kept + sum(n * option.kept for n, option in chosen)
        transient = max((option.transient for _, option in chosen), default=0)
        extra = sum(n * option.extra for n, option in chosen)
        on_last = 0
        if kept + transient > budget:
            transient = max(transient, options[last].transient)
            on_last = math.ceil((kept + transient - budget) / (none.kept - options[last].kept))
        extra += on_last * options[last].extra
        if on_last <= left and extra < best_extra:
            best, best_extra = [*counts, on_last], extra
    if best is None:
        smallest = min(layers * option.kept + option.transient for option in options.values())
        raise ValueError(f"nothing fits; the smallest reachable peak is {smallest / 1e9:.6g} GB")
    plan = [name for n, name in zip(best, [*others, last]) for _ in range(n)]
    return plan + ["none"] * (layers - len(plan))


def _block(values):
    return f"```json\n{json.dumps(values)}\n```\n"


def _config(layers, hidden, heads, seq, batch, kernel, **more):
    return {
        "layers": layers, "hidden": hidden, "heads": heads, "seq": seq, "batch": batch, "dtype": "bf16",
        "attention_kernel": kernel, "tensor_parallel": 1, "sequence_parallel": False, "pipeline_parallel": 1, **more,
    }


def _example(memory_gb, config):
    known = ("layers", "hidden", "heads", "seq", "batch", "host_bandwidth", "flops_per_second")
    plain = {name: config[name] for name in known if name in config}
    plain["flash_attention"] = config["attention_kernel"] != "eager"
    plan = plan_policy(plain, memory_gb)
    cost = policy_cost(plain, plan)
    return _block({
        "config": config, "memory_gb": memory_gb, "policy": plan,
        "predicted_peak_gb": round(cost.peak_gb, 3), "overhead": round(cost.overhead, 5),
    })


POLICY_PROMPT = f"""
Choose "none", "selective", "full" or "offload" for every layer of a transformer, so that the activations fit and the
step becomes as little slower as possible. First ask for all of this, and wait until you know it:

{_block({"config": _config(32, 4096, 32, 8192, 1, "flash_attention_2"), "memory_gb": 40})}
Rules, with s = seq, b = batch, h = hidden, a = heads, at 16 bit on one GPU. A layer holds A = s*b*h*(34 + 5*a*s/h)
bytes, with a fused attention kernel 34*s*b*h. Its forward takes F = 24*b*s*h^2 + 4*b*s^2*h FLOPs.
- none: keeps A.
- selective: keeps 34*s*b*h, on top A - 34*s*b*h while the layer is differentiated, costs 4*b*s^2*h / F of a forward.
  Not with a fused kernel.
- full: keeps 2*s*b*h, on top A - 2*s*b*h, costs one forward.
- offload (only if host_bandwidth and flops_per_second are known): keeps 0, on top 2*A, costs
  (max(0, T - t) + max(0, T - 2*t)) / t with t = F / flops_per_second and T = A / host_bandwidth.
The peak is the sum of what is kept plus the largest "on top"; the overhead is the sum of the costs / (3 * layers).
Under tensor or sequence parallelism divide the bytes by the degree.

Try every mix of counts and take the fastest that fits. If nothing fits, do not answer with a plan: say no, and name
the smallest peak that can be reached. Otherwise answer with one JSON object like these.

{_example(30, _config(24, 2048, 16, 2048, 4, "eager"))}
{_example(12, _config(16, 4096, 32, 8192, 1, "flash_attention_2"))}
"""

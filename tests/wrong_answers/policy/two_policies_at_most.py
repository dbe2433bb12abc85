"""The best mix of two policies, never of three."""
# loses: policy.mixed
# says: could be on

import itertools


def plan_policy(config, memory_gb):
    options = layer_options(config)
    layers = config["layers"]
    if layers == 1 or layers * options["none"].kept <= memory_gb * 1e9:
        pairs = [("none", "none")]
    else:
        pairs = list(itertools.combinations(options, 2))
    best = None
    for one, other in pairs:
        for n in range(layers + 1):
            plan = [other] * n + [one] * (layers - n)
            peak = sum(options[name].kept for name in plan) + max(options[name].transient for name in set(plan))
            extra = sum(options[name].extra for name in plan)
            if peak <= memory_gb * 1e9 and (best is None or extra < best[0]):
                best = extra, plan
    if best is None:
        smallest = min(layers * option.kept + option.transient for option in options.values())
        raise ValueError(f"needs {smallest / 1e9:.4f} GB")
    return best[1]

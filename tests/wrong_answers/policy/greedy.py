"""Layers are moved to the next stronger policy one by one, first all to selective, then to full."""
# loses: policy.mixed policy.offload


def plan_policy(config, memory_gb):
    options = layer_options(config)
    names = sorted(options, key=lambda name: -options[name].kept)
    layers = config["layers"]

    def peak(plan):
        return sum(options[name].kept for name in plan) + max(options[name].transient for name in plan)

    plan = [names[0]] * layers
    for weaker, stronger in zip(names, names[1:]):
        for layer in range(layers):
            if peak(plan) <= memory_gb * 1e9:
                return plan
            plan[layer] = stronger
    if peak(plan) <= memory_gb * 1e9:
        return plan
    smallest = min(peak([name] * layers) for name in names)
    raise ValueError(f"The smallest reachable peak is {smallest / 1e9} GB.")

"""Exact arithmetic with fractions; a tuple comes back."""

from fractions import Fraction


def plan_policy(config, memory_gb):
    options = layer_options(config)
    layers, budget = config["layers"], Fraction(memory_gb) * 10**9
    smallest = min(Fraction(layers) * o.kept + o.transient for o in options.values())
    if smallest > budget:
        raise ValueError(f"The smallest reachable peak is {float(smallest / 10**9):.5f} GB")
    if layers * options["none"].kept <= budget:
        return ("none",) * layers
    best = None
    for last in options:
        if last == "none":
            continue
        limit = options[last].transient
        room = budget - limit
        others = [n for n in options if n not in ("none", last) and options[n].transient <= limit]
        splits = [{}]
        for name in others:
            splits = [{**split, name: n} for split in splits for n in range(layers - sum(split.values()) + 1)]
        for split in splits:
            rest = layers - sum(split.values())
            over = sum(n * options[name].kept for name, n in split.items()) + rest * options["none"].kept - room
            n = max(0, -int(-over // (options["none"].kept - options[last].kept)))
            if n <= rest:
                counts = {**split, last: n, "none": rest - n}
                cost = sum(n * options[name].extra for name, n in counts.items())
                if best is None or cost < best[0]:
                    best = cost, counts
    return tuple(name for name, n in best[1].items() for _ in range(n))

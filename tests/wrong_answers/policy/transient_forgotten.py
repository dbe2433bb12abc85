"""Only what is kept counts; the rebuilt layer is forgotten."""
# loses: policy.recompute policy.mixed policy.offload policy.infeasible
# says: transient

import itertools


def plan_policy(config, memory_gb):
    options = layer_options(config)
    layers, names = config["layers"], list(options)
    best = None
    for counts in itertools.product(range(layers + 1), repeat=len(names) - 1):
        counts = (layers - sum(counts), *counts)
        if counts[0] < 0:
            continue
        kept = sum(n * options[name].kept for n, name in zip(counts, names))
        extra = sum(n * options[name].extra for n, name in zip(counts, names))
        if kept <= memory_gb * 1e9 and (best is None or extra < best[0]):
            best = extra, counts
        if extra == 0 and best is not None:
            break
    if best is None:
        smallest = min(layers * option.kept for option in options.values())
        raise ValueError(f"At least {smallest / 1e9} GB are needed.")
    return [name for name, n in zip(names, best[1]) for _ in range(n)]

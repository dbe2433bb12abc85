"""Nested loops over the number of layers of each policy."""


def plan_policy(config, memory_gb):
    options = layer_options(config)
    layers = config["layers"]
    best, best_extra = None, float("inf")

    def tries(n, name):
        return range(n + 1) if name in options else range(1)

    for off in tries(layers, "offload"):
        for full in range(layers - off + 1):
            for sel in tries(layers - off - full, "selective"):
                kept = options["none"].kept * (layers - off - full - sel) + options["full"].kept * full
                extra = options["full"].extra * full
                transient = options["full"].transient if full else 0
                if sel:
                    kept += options["selective"].kept * sel
                    extra += options["selective"].extra * sel
                    transient = max(transient, options["selective"].transient)
                if off:
                    extra += options["offload"].extra * off
                    transient = max(transient, options["offload"].transient)
                if extra < best_extra and kept + transient <= memory_gb * 1e9:
                    best, best_extra = (off, full, sel), extra
    if best is None:
        needed = min(layers * option.kept + option.transient for option in options.values())
        raise ValueError(f"needs at least {needed / 1e9:.2e} GB, and there are {memory_gb} GB for {layers} layers")
    off, full, sel = best
    return ["none"] * (layers - off - full - sel) + ["selective"] * sel + ["full"] * full + ["offload"] * off

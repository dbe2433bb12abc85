"""A recursion over the policies, with a bound that cuts off what cannot win."""


def plan_policy(config, memory_gb):
    options = layer_options(config)
    layers = config["layers"]
    names = sorted(options, key=lambda name: options[name].extra, reverse=True)
    best = [float("inf"), None]

    def descend(index, left, kept, transient, extra, counts):
        if extra >= best[0]:
            return
        option = options[names[index]]
        if index == len(names) - 1:
            total = kept + left * option.kept + (max(transient, option.transient) if left else transient)
            if total <= memory_gb * 1e9 and extra + left * option.extra < best[0]:
                best[:] = extra + left * option.extra, (*counts, left)
            return
        for n in range(left + 1):
            more = max(transient, option.transient) if n else transient
            descend(index + 1, left - n, kept + n * option.kept, more, extra + n * option.extra, (*counts, n))

    descend(0, layers, 0, 0, 0.0, ())
    if best[1] is None:
        peaks = (layers * option.kept + option.transient for option in options.values())
        raise ValueError("needs " + str(min(peaks) / 1e9) + " GB")
    return sum(([name] * n for name, n in zip(names, best[1])), [])

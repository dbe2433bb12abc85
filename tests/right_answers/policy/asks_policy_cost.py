"""Every mix is weighed by policy_cost on a short plan, layers in alphabetical order."""

import heapq

from lesson.policy_cost import policy_cost


def plan_policy(config, memory_gb):
    """Search outward from the cheapest plan: of all plans not yet seen, look at the fastest."""
    options = layer_options(config)
    layers, names = config["layers"], sorted(options, key=lambda name: options[name].extra)
    smallest = min(policy_cost(config, [name] * layers).peak_gb for name in names)
    if smallest > memory_gb:
        raise ValueError(f"smallest reachable peak: {smallest!r} GB")
    kept = [options[name].kept for name in names]
    transient = [options[name].transient for name in names]
    extra = [options[name].extra for name in names]

    def fits(counts):
        largest = max(t for t, n in zip(transient, counts) if n)
        return sum(n * k for n, k in zip(counts, kept)) + largest <= memory_gb * 1e9

    start = (layers,) + (0,) * (len(names) - 1)
    queue, seen = [(0.0, start)], {start}
    while queue:
        cost, counts = heapq.heappop(queue)
        if fits(counts):
            return sorted(name for name, n in zip(names, counts) for _ in range(n))
        for i in range(len(names) - 1):
            if counts[i]:
                step = list(counts)
                step[i] -= 1
                step[i + 1] += 1
                if tuple(step) not in seen:
                    seen.add(tuple(step))
                    heapq.heappush(queue, (sum(n * e for n, e in zip(step, extra)), tuple(step)))

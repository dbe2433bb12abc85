"""Every point is compared with every other."""


def pareto_front(points):
    def beats(q, p):
        return q[1:] != p[1:] and all(mine <= other for mine, other in zip(q[1:], p[1:]))

    kept, seen = [], set()
    for p in points:
        if tuple(p[1:]) not in seen and not any(beats(q, p) for q in points):
            seen.add(tuple(p[1:]))
            kept.append(p)
    kept.sort(key=lambda p: p[1])
    return kept

"""The points of the front are numbered from 1."""
# loses: exercise2.front exercise2.equal_points


def pareto_front(points):
    front = []
    for _, memory, overhead in sorted(points, key=lambda p: (p[1], p[2])):
        if not front or overhead < front[-1][2]:
            front.append((len(front) + 1, memory, overhead))
    return front

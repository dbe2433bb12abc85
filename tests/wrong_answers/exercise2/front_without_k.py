"""k is dropped on the way."""
# loses: exercise2.front exercise2.equal_points
# says: with their k


def pareto_front(points):
    front = []
    for memory, overhead in sorted((memory, overhead) for _, memory, overhead in points):
        if not front or overhead < front[-1][1]:
            front.append((memory, overhead))
    return front

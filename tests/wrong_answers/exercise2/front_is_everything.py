"""The points are sorted and all of them stay."""
# loses: exercise2.front exercise2.equal_points
# says: left out


def pareto_front(points):
    return sorted(points, key=lambda point: point[1])

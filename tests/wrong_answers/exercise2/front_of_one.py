"""Only the point of least memory is returned."""
# loses: exercise2.front exercise2.equal_points
# says: missing


def pareto_front(points):
    return [min(points, key=lambda p: (p[1], p[2]))]

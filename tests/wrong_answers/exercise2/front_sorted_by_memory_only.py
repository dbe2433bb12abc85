"""The first of points with the same memory comes first, whatever its overhead."""
# loses: exercise2.front
# says: dominated


def pareto_front(points):
    front = []
    for point in sorted(points, key=lambda p: p[1]):
        if not front or point[2] < front[-1][2]:
            front.append(point)
    return front

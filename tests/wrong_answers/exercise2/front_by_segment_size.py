"""The front is sorted by k."""
# loses: exercise2.front exercise2.equal_points
# says: another order


def pareto_front(points):
    front = []
    for point in sorted(points, key=lambda p: (p[1], p[2])):
        if not front or point[2] < front[-1][2]:
            front.append(point)
    return sorted(front)

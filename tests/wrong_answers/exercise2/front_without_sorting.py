"""The points are taken to come by rising memory."""
# loses: exercise2.front exercise2.equal_points


def pareto_front(points):
    front = []
    for point in points:
        if not front or point[2] < front[-1][2]:
            front.append(point)
    return front

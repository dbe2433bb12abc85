"""The point with the smallest k stays among equal points."""
# loses: exercise2.equal_points
# says: first in the list


def pareto_front(points):
    front = []
    for point in sorted(points, key=lambda p: (p[1], p[2], p[0])):
        if not front or point[2] < front[-1][2]:
            front.append(point)
    return front

"""Equal points do not dominate each other, so all of them stay."""
# loses: exercise2.equal_points
# says: only the first stays


def pareto_front(points):
    front = [
        p for p in points if not any(q[1] <= p[1] and q[2] <= p[2] and (q[1] < p[1] or q[2] < p[2]) for q in points)
    ]
    return sorted(front, key=lambda point: point[1])

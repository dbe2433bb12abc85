"""Equal points throw each other out."""
# loses: exercise2.equal_points
# says: has to stay


def pareto_front(points):
    front = [
        p
        for i, p in enumerate(points)
        if not any(q[1] <= p[1] and q[2] <= p[2] for j, q in enumerate(points) if j != i)
    ]
    return sorted(front, key=lambda point: point[1])

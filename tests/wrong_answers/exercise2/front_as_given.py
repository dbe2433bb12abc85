"""The points stay in the order in which they came."""
# loses: exercise2.front exercise2.equal_points
# says: another order


def pareto_front(points):
    front = []
    for i, p in enumerate(points):
        beaten = any(q[1] <= p[1] and q[2] <= p[2] and (q[1] < p[1] or q[2] < p[2]) for q in points)
        if not beaten and not any(q[1:] == p[1:] for q in points[:i]):
            front.append(p)
    return front

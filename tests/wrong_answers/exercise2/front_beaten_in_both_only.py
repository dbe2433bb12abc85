"""Only points that lose in both memory and overhead leave."""
# loses: exercise2.front exercise2.equal_points
# says: dominated


def pareto_front(points):
    front = [p for p in points if not any(q[1] < p[1] and q[2] < p[2] for q in points)]
    return sorted(front, key=lambda point: point[1])

"""The points are taken by rising overhead and the front is turned round."""


def pareto_front(points):
    front = []
    order = sorted(range(len(points)), key=lambda i: (points[i][2], points[i][1], i))
    least = float("inf")
    for i in order:
        if points[i][1] < least:
            least = points[i][1]
            front.insert(0, points[i])
    return tuple(front)

"""itertools keeps the best overhead so far."""

from itertools import accumulate
from operator import itemgetter


def pareto_front(points):
    ordered = sorted(points, key=itemgetter(1, 2))
    best = [float("inf"), *accumulate(map(itemgetter(2), ordered), min)]
    return [point for point, before in zip(ordered, best) if point[2] < before]

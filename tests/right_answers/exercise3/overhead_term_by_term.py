"""The FLOPs are added up from a table, with exact fractions."""

from fractions import Fraction

PARTS = {"projections": (8, 1, 2), "core": (4, 2, 1), "mlp": (16, 1, 2)}
SCOPES = {"core": ("core",), "module": ("core", "projections"), "layer": tuple(PARTS)}


def recompute_overhead(hidden, seq, scope):
    def flops(names):
        return sum(PARTS[name][0] * seq ** PARTS[name][1] * hidden ** PARTS[name][2] for name in names)

    return float(Fraction(flops(SCOPES[scope]), 3 * flops(PARTS)))

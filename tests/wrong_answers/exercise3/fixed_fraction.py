"""The core is 0.15 of a layer, as in the published lesson."""
# loses: exercise3.overhead
# says: 0.15


def recompute_overhead(hidden, seq, scope):
    layer = 4 * seq**2 * hidden + 24 * seq * hidden**2
    module = 4 * seq**2 * hidden + 8 * seq * hidden**2
    return {"core": 0.15 * layer, "module": module, "layer": layer}[scope] / (3 * layer)

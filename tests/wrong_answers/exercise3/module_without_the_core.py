"""The module is the projections alone."""
# loses: exercise3.overhead
# says: four projections together


def recompute_overhead(hidden, seq, scope):
    core = 4 * seq**2 * hidden
    module = 8 * seq * hidden**2
    layer = core + 24 * seq * hidden**2
    return {"core": core, "module": module, "layer": layer}[scope] / (3 * layer)

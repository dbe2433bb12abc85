"""A layer's forward is 24 b s h^2, without the core."""
# loses: exercise3.overhead
# says: contains the core


def recompute_overhead(hidden, seq, scope):
    core = 4 * seq**2 * hidden
    module = core + 8 * seq * hidden**2
    layer = 24 * seq * hidden**2
    return {"core": core, "module": module, "layer": layer}[scope] / (3 * layer)

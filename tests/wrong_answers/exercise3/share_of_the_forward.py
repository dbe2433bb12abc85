"""The extra work is compared with the forward."""
# loses: exercise3.overhead
# says: share of the forward


def recompute_overhead(hidden, seq, scope):
    core = 4 * seq**2 * hidden
    module = core + 8 * seq * hidden**2
    layer = core + 24 * seq * hidden**2
    return {"core": core, "module": module, "layer": layer}[scope] / layer

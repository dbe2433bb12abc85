"""The overhead comes in percent."""
# loses: exercise3.overhead
# says: percentage


def recompute_overhead(hidden, seq, scope):
    core = 4 * seq**2 * hidden
    module = core + 8 * seq * hidden**2
    layer = core + 24 * seq * hidden**2
    return 100 * {"core": core, "module": module, "layer": layer}[scope] / (3 * layer)

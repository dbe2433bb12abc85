"""The core grows with the sequence instead of its square."""
# loses: exercise3.overhead


def recompute_overhead(hidden, seq, scope):
    core = 4 * seq * hidden
    module = core + 8 * seq * hidden**2
    layer = core + 24 * seq * hidden**2
    return {"core": core, "module": module, "layer": layer}[scope] / (3 * layer)

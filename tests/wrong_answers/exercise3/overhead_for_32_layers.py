"""The work of 32 layers is compared with the step of one."""
# loses: exercise3.overhead


def recompute_overhead(hidden, seq, scope):
    core = 4 * seq**2 * hidden
    module = core + 8 * seq * hidden**2
    layer = core + 24 * seq * hidden**2
    return 32 * {"core": core, "module": module, "layer": layer}[scope] / (3 * layer)

"""The graded name is a partial application."""

import functools


def _plan(solver, config, memory_gb):
    plan = solver(dict(config), float(memory_gb))
    return plan[1::2] + plan[::2]  # the order of layers does not matter


plan_policy = functools.partial(_plan, plan_policy)

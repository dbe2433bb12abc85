"""The probes raise, exit and vanish: only their own points are lost."""
# topic: recompute
# outcome: step1 7 error or crashed, step2 9 error or crashed, step3 10 crashed or error

import os

import grader.worker.probes as probes


def _leave(*args, **kwargs):
    os._exit(0)


del probes.mutated
probes.checkpointed_mutated = None
probes.checkpointed_memory = _leave
probes.checkpointed_products = lambda *args, **kwargs: 1 / 0

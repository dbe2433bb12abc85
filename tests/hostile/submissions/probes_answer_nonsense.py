"""The probes of step 3 return what no probe returns: only their own points are lost."""
# topic: recompute
# outcome: step1 8 passed, step2 10 passed, step3 10 failed or crashed

import grader.worker.probes as probes

probes.checkpointed_mutated = lambda *args, **kwargs: [1, 2]
probes.checkpointed_forward_memory = lambda *args, **kwargs: "little"
probes.checkpointed_backward_memory = lambda *args, **kwargs: float("nan")
probes.checkpointed_products = lambda *args, **kwargs: float("inf")

"""The probes return what no probe returns: only their own points are lost."""
# topic: recompute
# outcome: step1 7 failed or crashed, step2 9 failed or crashed, step3 10 failed or crashed

import grader.worker.probes as probes

probes.mutated = lambda student, function, names, args: ["CANARY" + repr(args[0].ravel()[0])]
probes.checkpointed_mutated = lambda *args, **kwargs: [1, 2]
probes.checkpointed_memory = lambda *args, **kwargs: {"forward": "little", "backward": float("nan")}
probes.checkpointed_products = lambda *args, **kwargs: float("inf")

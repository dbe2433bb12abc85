"""Answers each call rightly, just before the deadline: too much in all."""
# topic: cost_model
# outcome: step4 none timeout, step5 none timeout, step6 none timeout
# seconds: 0.5
# total: 1

import time

_full = checkpoint_cost


def checkpoint_cost(*args, **kwargs):
    time.sleep(0.35)
    return _full(*args, **kwargs)

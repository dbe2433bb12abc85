"""Answers rightly twice, then ends the process: what was right before does not save the check."""
# topic: selective
# outcome: step7 none crashed

import os

_right, _calls = should_recompute, []


def should_recompute(*args):
    _calls.append(args)
    if len(_calls) > 2:
        os._exit(0)
    return _right(*args)

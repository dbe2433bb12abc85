"""Adds an audit hook that raises at every event and can never be removed: nothing of the worker needs one."""
# topic: selective
# outcome: step7 full passed

import sys


def _refuse(event, arguments):
    raise RuntimeError("refused")


sys.addaudithook(_refuse)

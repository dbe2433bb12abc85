"""Adds an audit hook that raises at every event and can never be removed."""
# topic: selective
# outcome: step7 0 error or crashed

import sys


def _refuse(event, arguments):
    raise RuntimeError("refused")


sys.addaudithook(_refuse)

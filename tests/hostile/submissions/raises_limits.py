"""Raises its limits, and lowers those of others."""
# topic: selective
# outcome: step7 full passed

import os
import resource

_changed = []
_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
for _limit in _LIMITS:
    for _change in (
        lambda limit: resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
        lambda limit: resource.prlimit(0, limit, (1, 1)),
        lambda limit: resource.prlimit(os.getppid(), limit, (1 << 20, 1 << 20)),
    ):
        try:
            _change(_limit)
            _changed.append(_limit)
        except (OSError, ValueError):
            pass
for _change in (lambda: os.nice(-5), lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 10)):
    try:
        _change()
        _changed.append("priority")
    except OSError:
        pass
if _changed:
    raise RuntimeError(f"changed {_changed}")

"""Raises an expected failure, as an AssertionError and as pytest's own."""
# topic: selective
# outcome: step7 none error


class XFailed(AssertionError):
    msg = "expected"


class Exit(Exception):
    returncode = 0


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        raise XFailed("expected")
    raise Exit("all done")

"""Raises groups of errors with causes that go round in a circle and messages of 100 MB."""
# topic: selective
# outcome: step7 none error


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    first, second = ValueError("x" * 100_000_000), TypeError("y")
    first.__cause__, second.__cause__ = second, first
    first.__context__ = first
    group = ExceptionGroup("nested", [first])
    for _ in range(1000):
        group = ExceptionGroup("nested", [group])
    raise group from first

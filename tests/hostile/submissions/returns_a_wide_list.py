"""Returns a list of ten million items, and text of half a gigabyte."""
# topic: cost_model
# outcome: step4 full passed, step5 none failed or error or crashed or memory or timeout, step6 none failed or error or crashed or memory
# seconds: 5


def activation_memory_mb(*args, **kwargs):
    return [None] * 3_000_000


def memory_after_checkpoint(*args, **kwargs):
    return [1.0] * 150_000


def optimal_segment(*args, **kwargs):
    return "9" * 2**29

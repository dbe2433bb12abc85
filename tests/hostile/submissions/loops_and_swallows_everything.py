"""Loops without end and swallows every exception."""
# topic: selective
# outcome: step7 none timeout
# seconds: 0.5


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
        finally:
            continue

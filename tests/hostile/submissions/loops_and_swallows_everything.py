"""Loops without end and swallows every exception."""
# topic: selective
# outcome: step7 0 timeout
# seconds: 1


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
        finally:
            continue

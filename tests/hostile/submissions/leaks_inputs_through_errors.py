"""Says the hidden inputs in messages, notes and names of errors."""
# topic: selective
# outcome: step7 none error


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    text = repr((layer_type, activation_bytes, recompute_flops_ratio))
    print(text)
    error = type(text, (ValueError,), {"__module__": text})(text)
    error.add_note(text)
    raise error from KeyError(text)

"""The answer is printed instead of returned."""
# loses: step7.attention step7.ffn step7.limits step7.others
# says: return


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        print(activation_bytes > 100e6)
    elif layer_type == "ffn":
        print(activation_bytes > 500e6 and recompute_flops_ratio < 0.1)
    else:
        print(False)

"""Defines the function under letters that Python reads as the plain ones, and others that look the same and are not."""
# topic: selective
# outcome: step7 full passed

_right = should_recompute
del should_recompute


def ｓｈｏｕｌｄ＿ｒｅｃｏｍｐｕｔｅ(layer_type, activation_bytes, recompute_flops_ratio):
    return _right(layer_type, activation_bytes, recompute_flops_ratio)


def should_recоmpute(*args):
    return "the o is Cyrillic"


ªª, ℌ, 𝔥 = 1, 2, 3

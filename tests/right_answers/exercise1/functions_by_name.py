"""The four functions are looked up in globals() by their names."""


def verify_checkpointing(x, params, k):
    results = []
    for suffix, extra in (("", ()), ("_checkpointed", (k,))):
        forward, backward = (globals()[f"model_{way}{suffix}"] for way in ("forward", "backward"))
        output, kept = forward(x, params, *extra)
        results.append(backward(output * 0 + 1, kept, params, *extra))
    (grad_x, grads), (other_x, others) = results
    return max_gradient_difference([*grads, [grad_x]], [*others, [other_x]])

"""Costs and bytes are added up layer by layer and tensor by tensor."""


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    cost = dict.fromkeys(("fwd", "recompute", "bwd"), 0.0)
    for start in range(0, n_layers, segment_size):
        for _ in range(start, min(start + segment_size, n_layers)):
            cost["fwd"] += flops_per_layer
            cost["recompute"] += flops_per_layer
            cost["bwd"] += 2 * flops_per_layer
    plain = cost["fwd"] + cost["bwd"]
    cost["total"] = plain + cost["recompute"]
    cost["overhead_vs_no_ckpt"] = (cost["total"] - plain) / plain
    return cost


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    tensors = ["qkv", "scores", "heads", "projection", "residual", "norm"] * 2
    total = 0
    for _ in range(n_layers):
        for _ in tensors:
            total += batch * seq * hidden * bytes_per_value
    return total / 1_000_000


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    alive = [start for start in range(0, n_layers, segment_size)]
    alive += [0] * segment_size
    return sum(batch * seq * hidden * bytes_per_value for _ in alive) * 1e-6

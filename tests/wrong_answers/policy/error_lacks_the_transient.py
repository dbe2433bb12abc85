"""The smallest peak in the error is what is kept."""
# loses: policy.infeasible

_right = plan_policy


def plan_policy(config, memory_gb):
    try:
        return _right(config, memory_gb)
    except ValueError:
        kept = [config["layers"] * option.kept / 1e9 for option in layer_options(config).values()]
        raise ValueError(f"the smallest reachable peak is {sorted(kept)[0 if min(kept) else 1]:.4f} GB")

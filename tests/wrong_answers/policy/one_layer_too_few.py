"""One layer less than necessary is recomputed."""
# loses: policy.recompute policy.mixed policy.offload
# says: more than there is

_right = plan_policy


def plan_policy(config, memory_gb):
    plan = _right(config, memory_gb)
    if len(set(plan)) > 1:
        plan[0] = plan[-1]
    return plan

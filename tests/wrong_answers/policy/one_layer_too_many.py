"""One layer more than necessary is recomputed."""
# loses: policy.recompute policy.mixed policy.offload
# says: it would still fit

_right = plan_policy


def plan_policy(config, memory_gb):
    plan = _right(config, memory_gb)
    if "none" in plan and len(set(plan)) > 1:
        plan[plan.index("none")] = plan[0]
    elif set(plan) == {"full", "selective"}:
        plan[plan.index("selective")] = "full"
    return plan

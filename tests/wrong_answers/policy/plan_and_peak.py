"""The plan comes with its peak."""
# loses: policy.recompute policy.mixed policy.offload

from lesson.policy_cost import policy_cost

_right = plan_policy


def plan_policy(config, memory_gb):
    plan = _right(config, memory_gb)
    return plan, policy_cost(config, plan).peak_gb

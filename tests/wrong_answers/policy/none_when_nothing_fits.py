"""When nothing fits, None is returned."""
# loses: policy.infeasible

_right = plan_policy


def plan_policy(config, memory_gb):
    try:
        return _right(config, memory_gb)
    except ValueError as error:
        print(error)

"""The error tells everything that was tried."""

_right = plan_policy


def plan_policy(config, memory_gb):
    try:
        return _right(config, memory_gb)
    except ValueError:
        tried = {
            name: round((config["layers"] * option.kept + option.transient) / 1e9, 3)
            for name, option in layer_options(config).items()
        }
        raise ValueError(f"{config['layers']} layers do not fit into {memory_gb} GB. Tried: {tried}") from None

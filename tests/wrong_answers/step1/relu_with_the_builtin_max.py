"""The built-in max cannot compare an array with a number."""
# loses: step1.relu step1.layer step1.model step1.dtype step1.inputs


def relu(x):
    return max(x, 0)

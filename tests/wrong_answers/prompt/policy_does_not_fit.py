"""The policy of an example needs more than there is."""
# loses: prompt.policies
# says: there are only 39 GB

POLICY_PROMPT = POLICY_PROMPT.replace('"memory_gb": 40,\n  "policy"', '"memory_gb": 39,\n  "policy"')

"""An example has a policy where nothing fits."""
# loses: prompt.policies
# says: Nothing fits 2 GB

POLICY_PROMPT = POLICY_PROMPT.replace('"memory_gb": 20,', '"memory_gb": 2,')

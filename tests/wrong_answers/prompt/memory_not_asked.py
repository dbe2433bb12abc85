"""The inputs do not ask for the memory."""
# loses: prompt.inputs
# says: memory_gb

POLICY_PROMPT = POLICY_PROMPT.replace('"memory_gb": 40\n', '"memory": 40\n', 1)

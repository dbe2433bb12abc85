"""The inputs are listed in prose only."""
# loses: prompt.inputs
# says: No json block states the inputs

start, rest = POLICY_PROMPT.split("```json\n", 1)
POLICY_PROMPT = start + "```text\n" + rest

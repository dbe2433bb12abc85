"""Both worked examples are the same."""
# loses: prompt.examples
# says: 1 different

parts = POLICY_PROMPT.split("```json\n")
POLICY_PROMPT = "```json\n".join([parts[0], parts[1], parts[2], parts[2]])

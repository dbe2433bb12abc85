"""There is one worked example only."""
# loses: prompt.examples
# says: 1 different

parts = POLICY_PROMPT.split("```json\n")
POLICY_PROMPT = "```json\n".join(parts[:3]) + "```\n".join(parts[3:])

"""The worked examples are told in prose."""
# loses: prompt.examples
# says: 0 different

parts = POLICY_PROMPT.split("```json\n")
POLICY_PROMPT = "```json\n".join(parts[:2]) + "```\n".join(["", *parts[2:]])

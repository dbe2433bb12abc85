"""The prompt is a list of lines, not a string."""
# loses: prompt.inputs prompt.examples prompt.form prompt.peaks prompt.overheads prompt.policies
# says: no prompt

POLICY_PROMPT = POLICY_PROMPT.splitlines()

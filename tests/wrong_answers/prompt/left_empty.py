"""The prompt was not written."""
# loses: prompt.inputs prompt.examples prompt.form prompt.peaks prompt.overheads prompt.policies
# says: no prompt

POLICY_PROMPT = "   \n"

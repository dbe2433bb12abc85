"""The inputs do not ask for the attention kernel."""
# loses: prompt.inputs
# says: attention_kernel

POLICY_PROMPT = POLICY_PROMPT.replace('"attention_kernel": ', '"gpu": ', 1)

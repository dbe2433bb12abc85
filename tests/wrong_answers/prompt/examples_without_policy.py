"""The worked examples give the numbers but not the policy."""
# loses: prompt.examples

POLICY_PROMPT = POLICY_PROMPT.replace('"policy": [', '"plan": [')

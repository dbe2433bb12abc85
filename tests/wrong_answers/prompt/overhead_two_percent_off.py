"""An overhead is two percent too low."""
# loses: prompt.overheads
# says: 0.025

POLICY_PROMPT = POLICY_PROMPT.replace('"overhead": 0.0255', '"overhead": 0.0250')

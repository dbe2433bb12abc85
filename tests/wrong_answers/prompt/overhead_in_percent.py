"""An overhead is in percent."""
# loses: prompt.overheads
# says: percent

POLICY_PROMPT = POLICY_PROMPT.replace('"overhead": 0.0664', '"overhead": 6.64')

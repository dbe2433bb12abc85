"""An overhead is a fraction of the forward."""
# loses: prompt.overheads
# says: three

POLICY_PROMPT = POLICY_PROMPT.replace('"overhead": 0.0664', '"overhead": 0.1991')

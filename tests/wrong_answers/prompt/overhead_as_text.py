"""One more example writes its overhead with a percent sign."""
# loses: prompt.form
# says: 2.55 %

POLICY_PROMPT = POLICY_PROMPT.replace('"overhead": 0.0255', '"overhead": "2.55 %"')

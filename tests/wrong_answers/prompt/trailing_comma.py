"""One more example ends with a comma, which JSON does not know."""
# loses: prompt.form
# says: not JSON

POLICY_PROMPT = POLICY_PROMPT.replace('"overhead": 0.0255\n}', '"overhead": 0.0255,\n}')

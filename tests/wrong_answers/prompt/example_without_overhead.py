"""One more example leaves the overhead out."""
# loses: prompt.form
# says: overhead

POLICY_PROMPT = POLICY_PROMPT.replace('"predicted_peak_gb": 39.43,\n  "overhead": 0.0255', '"predicted_peak_gb": 39.43')

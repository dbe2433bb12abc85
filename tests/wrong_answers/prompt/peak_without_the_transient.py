"""A predicted peak lacks the two layers on their way to the host."""
# loses: prompt.peaks
# says: transient

POLICY_PROMPT = POLICY_PROMPT.replace('"predicted_peak_gb": 18.25', '"predicted_peak_gb": 13.69')

"""A predicted peak is two percent too high."""
# loses: prompt.peaks
# says: 18.62

POLICY_PROMPT = POLICY_PROMPT.replace('"predicted_peak_gb": 18.25', '"predicted_peak_gb": 18.62')

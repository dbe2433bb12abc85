"""A predicted peak is in GiB."""
# loses: prompt.peaks
# says: GiB

POLICY_PROMPT = POLICY_PROMPT.replace('"predicted_peak_gb": 18.25', '"predicted_peak_gb": 17.0')

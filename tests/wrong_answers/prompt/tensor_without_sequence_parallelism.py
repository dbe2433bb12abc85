"""One more example has tensor parallelism without sequence parallelism."""
# loses: prompt.form
# says: sequence_parallel

POLICY_PROMPT = POLICY_PROMPT.replace('"sequence_parallel": true', '"sequence_parallel": false')

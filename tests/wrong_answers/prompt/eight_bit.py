"""One more example is in 8 bit, which the rules do not cover."""
# loses: prompt.form
# says: fp8

head, tail = POLICY_PROMPT.rsplit('"dtype": "bf16"', 1)
POLICY_PROMPT = head + '"dtype": "fp8"' + tail

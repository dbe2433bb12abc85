"""One more example names 39 policies for 40 layers."""
# loses: prompt.form
# says: 39 policies for 40 layers

head, tail = POLICY_PROMPT.rsplit('"selective", ', 1)
POLICY_PROMPT = head + tail

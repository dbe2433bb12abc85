"""One more example calls full recomputation checkpoint."""
# loses: prompt.form
# says: checkpoint

head, tail = POLICY_PROMPT.rsplit('"none"', 1)
POLICY_PROMPT = head + '"checkpoint"' + tail

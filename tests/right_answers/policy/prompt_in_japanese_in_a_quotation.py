"""The prompt is Japanese, and its blocks stand in quotations."""

head, *blocks = POLICY_PROMPT.split("```json\n")
blocks = [block.split("```", 1)[0] for block in blocks]
POLICY_PROMPT = "各層に none, selective, full, offload のどれかを選んでください。\n"
for block in blocks:
    POLICY_PROMPT += "\n例:\n" + "".join(f"> {line}\n" for line in f"~~~json\n{block}~~~".splitlines())

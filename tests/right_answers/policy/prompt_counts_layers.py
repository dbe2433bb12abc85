"""The worked examples count layers instead of naming each."""

import json
import re
from collections import Counter


def _counted(match):
    value = json.loads(match[1])
    if "policy" in value:
        value["policy"] = dict(Counter(value["policy"]))
    return f"```json\n{json.dumps(value)}\n```"


POLICY_PROMPT = re.sub(r"```json\n(.*?)```", _counted, POLICY_PROMPT, flags=re.DOTALL)

"""The inputs are explained inside their JSON, beside a readable block."""
# loses: prompt.form
# says: not JSON

POLICY_PROMPT += """

```json
{"config": {"layers": 12}, // the number of transformer layers
 "memory_gb": 40}
```
"""

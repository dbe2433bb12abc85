"""One more example recomputes more than it has to, and says so."""
# loses: prompt.policies
# says: overhead of 16.67

import json

from lesson.policy_cost import policy_cost

config = {"layers": 12, "hidden": 1024, "heads": 16, "seq": 1024, "batch": 8}
policy = ["full"] * 6 + ["none"] * 6
cost = policy_cost(config, policy)
example = {"config": config, "memory_gb": 8, "policy": policy}
example |= {"predicted_peak_gb": round(cost.peak_gb, 3), "overhead": round(cost.overhead, 5)}
POLICY_PROMPT += "\n```json\n" + json.dumps(example) + "\n```\n"

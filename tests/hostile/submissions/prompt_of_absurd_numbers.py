"""Worked examples in the prompt whose numbers overflow when they are judged."""
# topic: policy
# outcome: policy full passed, prompt none failed

import itertools
import json

_RATES = ((1e-300, 1e7), (5e-324, 1.7e308), (1.7e308, 5e-324), (1e-300, 1e300), (10**300, 1e-300))
_EXAMPLES = []
for (_bandwidth, _speed), _size, _layers in itertools.product(_RATES, (1, 10**9), (1, 512)):
    _config = dict.fromkeys(("hidden", "heads", "seq", "batch"), _size) | {"layers": _layers, "dtype": "bfloat16"}
    _config |= {"host_bandwidth": _bandwidth, "flops_per_second": _speed}
    _answer = {"policy": {"offload": _layers}, "predicted_peak_gb": -1.7e308, "overhead": 1.7e308}
    _EXAMPLES.append({"config": _config, "memory_gb": 1e-300 if _size == 1 else 1e308, **_answer})
POLICY_PROMPT = "\n".join(f"```json\n{json.dumps(example)}\n```" for example in _EXAMPLES)

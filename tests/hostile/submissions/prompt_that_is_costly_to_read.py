"""A prompt of a megabyte: fences without end, nests without bottom, numbers without end, costly examples."""
# topic: policy
# outcome: policy full passed, prompt none failed

import json

_config = {
    "layers": 512,
    "hidden": 64,
    "heads": 8,
    "seq": 64,
    "batch": 1,
    "host_bandwidth": 1e6,
    "flops_per_second": 1e12,
}
_answer = {"policy": {"full": 512}, "predicted_peak_gb": 0.003, "overhead": 0.33}
_example = json.dumps({"config": _config, "memory_gb": 0.05, **_answer})
POLICY_PROMPT = (
    f"```json\n{_example}\n```\n" * 12
    + "```json\n" + '{"a":' * 50_000 + "\n```\n"
    + "```json\n[" + "9" * 100_000 + "]\n```\n"
    + "`" * 100_000 + " " * 100_000 + "json" * 20_000 + "\n"
    + "> " * 50_000 + "~~~json\n" + "~~\n" * 30_000
)  # fmt: skip

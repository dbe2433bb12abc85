"""Reports errors whose fields are of the wrong types."""
# topic: selective
# outcome: step7 none crashed or error

import json
import os
import socket
import stat
import struct
import sys


def _connection():
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return number
        except OSError:
            pass


def _frame(message, arrays=(), body=b""):
    header = json.dumps({"message": message, "arrays": list(arrays)}).encode()
    return struct.pack("<II", len(header), len(body)) + header + body


def _write(data):
    view = memoryview(data)
    while view:
        view = view[os.write(_connection(), view) :]


_calls = []


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    _calls.append(1)
    errors = [
        {"type": [1], "message": {"a": 1}, "file": {}, "line": True, "base": None},
        {"type": 10**400, "line": -5, "file": "selective.py"},
        {"type": "x" * 10**6, "message": "y" * 10**6, "file": "z" * 10**6, "line": 10**300},
        5,
    ]
    _write(_frame({"raised": errors[len(_calls) % 4], "printed": "p" * 5_000_000}))
    return None

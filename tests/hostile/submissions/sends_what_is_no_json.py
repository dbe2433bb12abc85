"""Sends headers of broken text, of constants that are not JSON, and of a number with a million digits."""
# topic: selective
# outcome: step7 none crashed

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
    headers = [b"\xff\xfe", b"NaN", b'{"message": ' + b"9" * 1_000_000 + b', "arrays": []}', b"null", b""]
    header = headers[len(_calls) % 5]
    _write(struct.pack("<II", len(header), 0) + header)
    return None

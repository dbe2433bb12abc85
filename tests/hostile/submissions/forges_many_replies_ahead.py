"""Writes a thousand replies ahead while it is imported."""
# topic: selective
# outcome: step7 none failed or crashed

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


for _ in range(1000):
    _write(_frame({"value": ["bool", True]}))

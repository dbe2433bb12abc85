"""The locked-down process: a parent that has imported numpy, and one sealed child for each submission.

The parent runs no code of a student's. The trusted side sends it a connected socket; it forks a child that gives up
its rights for good and then answers requests about one submission over that socket.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grader.worker import wire
from grader.worker.loading import Loader
from grader.worker.sealing import SealPlan, prepare, seal
from grader.worker.workbench import Workbench

START = b"s"
STOP = b"k"
# The trusted side bounds what it sends; it is more than a child may ever send back.
MAX_SUBMISSION_BYTES = 64 * 2**20


def main() -> None:
    """Serve the trusted side until it goes away.

    Arguments: number of the control socket, the seal plan, and modules to import ahead.
    """
    control = socket.socket(fileno=int(sys.argv[1]))
    plan = SealPlan.from_dict(json.loads(sys.argv[2]))
    # As it is imported, PyTorch asks for places where it can write. Nothing can be written here, nor has to be.
    tempfile.tempdir = os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/"
    for name in sys.argv[3:]:
        importlib.import_module(name)
    prepare(plan)
    # The child need not look at what the parent has made when it collects garbage.
    gc.collect()
    gc.freeze()
    # The last to be started is the first to be ended.
    children: list[int] = []
    control.sendall(b"ready\n")
    while True:
        command, descriptors, _flags, _address = socket.recv_fds(control, 1, 1)
        if command == START:
            children.append(os.fork())
            if children[-1] == 0:
                control.close()
                _serve_submission(socket.socket(fileno=descriptors[0]), plan)
            os.close(descriptors[0])
            control.sendall(b"started\n")
        elif command == STOP:
            control.sendall(json.dumps(_end(children.pop())).encode() + b"\n")
        else:
            for child in children:
                _end(child)
            return


def _end(child: int) -> dict[str, Any]:
    """End a child and return how it ended and what it used."""
    os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_kib": usage.ru_maxrss,
    }


def _serve_submission(connection: socket.socket, plan: SealPlan) -> None:
    """Answer requests about one submission; never returns."""
    try:
        # The parent's standard error is the trusted side's to read, and must never fill up.
        os.dup2(1, 2)
        layers = seal(replace(plan, keep=(0, 1, 2, connection.fileno())))
        # From here on whatever ends this process is the submission's doing.
        wire.send(connection, {"sealed": layers}, [])
        _answer_requests(connection, sealed=True)
    finally:
        # Nothing a student has registered to run at exit gets to run.
        os._exit(0)


def serve_apart() -> None:
    """Answer requests about one submission in a process that is not sealed, on the student's own machine.

    Arguments: number of the connected socket, something for whoever started this, and modules to import ahead.
    """
    connection = socket.socket(fileno=int(sys.argv[1]))
    try:
        try:
            for name in sys.argv[3:]:
                importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - an installation can be broken in any way
            wire.send(connection, {"failed": f"{type(error).__name__}: {error}".partition("\n")[0]}, [])
            return
        wire.send(connection, {}, [])
        _answer_requests(connection, sealed=False)
    finally:
        os._exit(0)


def _answer_requests(connection: socket.socket, *, sealed: bool) -> None:
    """Receive a submission and answer requests about it until the other side goes away."""
    message, arrays = wire.receive(connection, max_bytes=MAX_SUBMISSION_BYTES)
    files = {name: array.tobytes() for name, array in zip(message["files"], arrays, strict=True)}

    def ask(function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        return _ask(connection, function, args, kwargs)

    too_slow = ((file, cell, line) for file, cell, line in message["too_slow"])
    workbench = Workbench(Loader(files, message["functions"], message["texts"], sealed=sealed, too_slow=too_slow), ask)
    while True:
        wire.send(connection, *workbench.handle(*wire.receive(connection)))


def _ask(connection: socket.socket, function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Ask the trusted side what the reference answers."""
    packer = wire.Packer(_not_plain)
    request = {"ask": function, "args": packer.pack(args), "kwargs": packer.pack(dict(kwargs))}
    wire.send(connection, request, packer.arrays)
    reply, arrays = wire.receive(connection)
    if "raised" in reply:
        raise ValueError(f"{function}: {reply['raised']}")
    return wire.unpack(reply["value"], arrays)


def _not_plain(value: object) -> int:
    raise TypeError(f"a {type(value).__name__} is not what this function takes")


if __name__ == "__main__":
    main()

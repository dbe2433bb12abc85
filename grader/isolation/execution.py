"""The process that runs one notebook in a kernel and collects what it shows; expendable, like the kernel.

It reads a job as JSON from standard input and writes the executed notebook as JSON to standard output. Whatever a
kernel sends, a flood or nonsense, harms only this process, which the grader ends when its time is over.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# What cells may show in all, and what the kernel may leave in its folder.
MAX_OUTPUT_BYTES = 5 * 10**6
MAX_FOLDER_BYTES = 100 * 10**6
MAX_FOLDER_FILES = 2_000
MEMORY_BYTES = 4 << 30
_DROPPED_OUTPUTS = ("application/javascript", "application/vnd.jupyter.widget-view+json")


class Stopped(Exception):
    """The notebook was not run to its end; the text is one of the words below."""


def main() -> None:
    """Run the notebook that comes in on standard input."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    job = json.load(sys.stdin)
    # The kernel inherits the standard streams and must not be able to write an answer of its own.
    answer, nowhere = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    executed = asyncio.run(_execute(job))
    with os.fdopen(answer, "w", encoding="utf-8") as file:
        json.dump(executed, file)


async def _execute(job: Mapping[str, Any]) -> dict[str, Any]:
    """Run the code cells in order; returns the notebook as far as it got, and why it stopped."""
    import nbformat
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(source) if kind == "code" else nbformat.v4.new_markdown_cell(source)
            for kind, source in job["cells"]
        ]
    )
    manager = AsyncKernelManager(transport="ipc", ip=os.path.join(job["folder"], "k"))
    manager.connection_file = os.path.join(job["folder"], "connection.json")
    manager._kernel_spec = KernelSpec(argv=job["command"], display_name="", language="python")
    ends = time.monotonic() + job["total_seconds"]
    shown = 0

    class Client(NotebookClient):  # type: ignore[misc]
        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            nonlocal shown
            shown += len(json.dumps(msg["content"], default=str))
            if shown > MAX_OUTPUT_BYTES:
                raise Stopped("output")
            return super().process_message(msg, cell, cell_index)

    client = Client(
        notebook,
        km=manager,
        allow_errors=True,
        startup_timeout=60,
        store_widget_state=False,
        timeout_func=lambda _cell: max(0.1, min(job["cell_seconds"], ends - time.monotonic())),
    )
    problem = ""
    started = threading.Event()
    try:
        async with client.async_setup_kernel(env=dict(job["environment"])):
            _watch_folder(Path(job["folder"]), started)
            for index, cell in enumerate(notebook.cells):
                if time.monotonic() > ends:
                    raise Stopped("time")
                await client.async_execute_cell(cell, index)
    except CellTimeoutError:
        problem = "time"
    except DeadKernelError:
        problem = "ended"
    except Stopped as stopped:
        problem = str(stopped)
    except Exception as error:  # noqa: BLE001 - the kernel can send anything
        problem = f"failed: {type(error).__name__}: {error}"
    started.set()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for kind in _DROPPED_OUTPUTS:
                output.get("data", {}).pop(kind, None)
    return {"notebook": notebook, "problem": problem}


def _watch_folder(folder: Path, done: threading.Event) -> None:
    """End this process, and with it the kernel, when the kernel fills the disk."""

    def watch() -> None:
        while not done.wait(0.5):
            total = count = 0
            for parent, _folders, names in os.walk(folder):
                for name in names:
                    try:
                        total += os.lstat(os.path.join(parent, name)).st_blocks * 512
                    except OSError:
                        continue
                    count += 1
            if total > MAX_FOLDER_BYTES or count > MAX_FOLDER_FILES:
                os._exit(3)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main()

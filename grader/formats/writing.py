"""How the formats write: files whole or not at all, names for any student's id, and what they say of it."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class FormatUnavailable(RuntimeError):
    """A format that cannot be written here; the text says why and what to do."""


@dataclass(frozen=True)
class Written:
    """What a format has written.

    Attributes
    ----------
    path
        The file, or the folder with a file for each submission.
    remarks
        Sentences about what was left out.
    """

    path: Path
    remarks: tuple[str, ...] = ()


def write_atomically(path: Path, text: str | Iterable[str]) -> None:
    """Write a file under another name first and put it in place when it is complete: no reader sees half of it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        # Lone surrogates can stand in a student's message; no file may fail for that.
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines([text] if isinstance(text, str) else text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def safe_name(name: str) -> str:
    """Return a file name for any student's id: readable where possible, never the same for two of them."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{readable}-{digest}" if readable else digest

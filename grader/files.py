"""Read what one student handed in; refuse what is unsafe, with a sentence that names the file.

Nothing here runs, parses or decompiles a student's code: files are bytes, and of a notebook no more is looked at
than whether it is one.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath

from grader.messages import _
from grader.worker.notebooks import NotANotebook, load_notebook

MAX_FILE_BYTES = 2 * 10**6
# Pictures in the outputs make a notebook large.
MAX_NOTEBOOK_BYTES = 10 * 10**6
MAX_TOTAL_BYTES = 20 * 10**6
MAX_FILES = 2_000

SOURCE_SUFFIXES = (".py", ".ipynb")
_TEXT_SUFFIXES = (".py", ".ipynb", ".md")
# fmt: off
IGNORED_FOLDERS = frozenset(
    {"__MACOSX", "__pycache__", ".git", ".hg", ".svn", ".ipynb_checkpoints", ".venv", "venv", "env", "node_modules",
     ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", "site-packages"}
)
# fmt: on
# Files that would change how Python or pytest runs: none of them is ever used, and the instructor is told.
_NOTED_FILES = frozenset({"conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "sitecustomize.py", "usercustomize.py"})
_NOTED_SUFFIXES = (".pth", ".pyc", ".pyo", ".so", ".pyd")
# Codecs that a source file may name but that do not encode text, or take forever on some.
_BAD_CODECS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})
# What the standard library raises for archives that are damaged in one way or another.
_DAMAGED_ARCHIVE = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    NotImplementedError,
    EOFError,
    ValueError,
    IndexError,
    struct.error,
    zlib.error,
)


class Refused(Exception):
    """A submission or file that is not read; its text is a sentence for the report."""


@dataclass(frozen=True)
class Submission:
    """What one student handed in.

    Attributes
    ----------
    id
        Name of the file or folder, without its suffix.
    files
        Relative POSIX path and bytes of every file that counts.
    notes
        Sentences about files that were ignored or refused.
    problem
        Why there is nothing to grade; empty when there is.
    name
        The student's name, from the roster; empty without one.
    """

    id: str
    path: str
    files: dict[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""
    name: str = ""


def read_submission(path: Path, submission_id: str | None = None, name: str = "") -> Submission:
    """Read one submission; never raises for what a student has done."""
    reader = _Reader()
    student = submission_id or identity(path)
    problem = ""
    try:
        reader.read(path)
    except Refused as error:
        problem = str(error)
    except OSError as error:
        problem = _("{path} cannot be read: {reason}.").format(path=path.name, reason=error.strerror or str(error))
    if problem:
        return Submission(student, str(path), {}, tuple(reader.notes), problem, name)
    if not any(file.endswith(SOURCE_SUFFIXES) for file in reader.files):
        problem = " ".join(reader.refusals) or _("There is no Python file and no notebook in {path}.").format(
            path=path.name
        )
    return Submission(student, str(path), reader.files, tuple(reader.notes + reader.refusals), problem, name)


def identity(path: Path) -> str:
    """Return the id of a submission without a roster: the name of its file or folder, without suffix."""
    name = path.stem if path.suffix.lower() in (".py", ".ipynb", ".zip") else path.name
    return name or path.resolve().name


class _Reader:
    """Collect the files of one submission within the limits."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.notes: list[str] = []
        self.refusals: list[str] = []
        self._total = 0
        self._count = 0

    def read(self, path: Path) -> None:
        status = path.lstat() if path.exists() or path.is_symlink() else None
        if status is None:
            raise Refused(_("There is no file or folder {path}.").format(path=path))
        if stat.S_ISLNK(status.st_mode):
            raise Refused(_("{path} is a symbolic link; hand in the file itself.").format(path=path.name))
        if stat.S_ISDIR(status.st_mode):
            self._folder(path)
        elif not stat.S_ISREG(status.st_mode):
            raise Refused(_("{path} is neither a file nor a folder.").format(path=path.name))
        elif path.suffix.lower() == ".zip":
            self._archive(path)
        else:
            with path.open("rb") as file:
                self._add(path.name, status.st_size, file.read)

    def _folder(self, root: Path) -> None:
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if self._enter(Path(folder, name), root))
            for name in sorted(names):
                path = Path(folder, name)
                self._file(path, path.relative_to(root).as_posix())

    def _enter(self, folder: Path, root: Path) -> bool:
        if folder.is_symlink():
            self._refuse(
                _("{path} is a symbolic link and was not read.").format(path=folder.relative_to(root).as_posix())
            )
            return False
        return folder.name not in IGNORED_FOLDERS and not (folder / "pyvenv.cfg").exists()

    def _file(self, path: Path, relative: str) -> None:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            self._refuse(_("{path} is a symbolic link and was not read.").format(path=relative))
        elif not stat.S_ISREG(status.st_mode):
            self._refuse(_("{path} is not a regular file and was not read.").format(path=relative))
        elif status.st_nlink > 1:
            self._refuse(_("{path} is a hard link and was not read.").format(path=relative))
        else:
            # Without following a link that has come into its place meanwhile.
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(descriptor, "rb") as file:
                self._add(relative, status.st_size, file.read)

    def _archive(self, path: Path) -> None:
        try:
            with zipfile.ZipFile(path) as archive:
                members = archive.infolist()
                if len(members) > MAX_FILES:
                    raise Refused(_("{path} holds more than {limit} files.").format(path=path.name, limit=MAX_FILES))
                for member in members:
                    self._member(archive, member, path.name)
        except _DAMAGED_ARCHIVE:
            raise Refused(_("{path} is not a ZIP archive that can be read.").format(path=path.name)) from None
        except RuntimeError:
            raise Refused(
                _("{path} is encrypted; hand in an archive without password.").format(path=path.name)
            ) from None

    def _member(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, archive_name: str) -> None:
        name = member.filename
        parts = PurePosixPath(name).parts
        if name.startswith(("/", "\\")) or re.match(r"^[A-Za-z]:", name) or ".." in parts or "\\" in name:
            raise Refused(
                _("{archive} holds {path}, which points outside the archive.").format(
                    archive=archive_name, path=repr(name)
                )
            )
        if member.flag_bits & 1:
            raise Refused(_("{path} is encrypted; hand in an archive without password.").format(path=archive_name))
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            self._refuse(_("{path} is a link or device and was not read.").format(path=name))
            return
        if member.is_dir() or any(part in IGNORED_FOLDERS for part in parts):
            return
        if name in self.files:
            raise Refused(_("{archive} holds {path} twice.").format(archive=archive_name, path=repr(name)))

        def content(limit: int) -> bytes:
            # The size in the header is the archive's word; what counts is what comes out.
            with archive.open(member) as file:
                return file.read(limit)

        self._add(name, member.file_size, content)

    def _add(self, name: str, size: int, content: Callable[[int], bytes]) -> None:
        base = PurePosixPath(name).name
        self._count += 1
        if self._count > MAX_FILES:
            raise Refused(_("There are more than {limit} files.").format(limit=MAX_FILES))
        if base in _NOTED_FILES or base.endswith(_NOTED_SUFFIXES):
            self.notes.append(_("{path} was ignored.").format(path=name))
            return
        if not base.endswith(_TEXT_SUFFIXES) or base.startswith("._"):
            return
        limit = MAX_NOTEBOOK_BYTES if base.endswith(".ipynb") else MAX_FILE_BYTES
        data = content(limit + 1) if size <= limit else b""
        if size > limit or len(data) > limit:
            self._refuse(
                _("{path} is larger than {limit} MB and was not read.").format(path=name, limit=limit // 10**6)
            )
            return
        self._total += len(data)
        if self._total > MAX_TOTAL_BYTES:
            raise Refused(_("The files are larger than {limit} MB in all.").format(limit=MAX_TOTAL_BYTES // 10**6))
        if not _is_text(data):
            self._refuse(_("{path} is not text and was not read.").format(path=name))
            return
        if base.endswith(".ipynb"):
            try:
                load_notebook(data)
            except NotANotebook as problem:
                self._refuse(_not_a_notebook(problem).format(path=name))
                return
        self.files[name] = data

    def _refuse(self, sentence: str) -> None:
        self.refusals.append(sentence)


def _not_a_notebook(problem: NotANotebook) -> str:
    return {
        "json": _("{path} is not a notebook that can be read: it is not JSON. Save it again in Jupyter."),
        "old": _("{path} is a notebook in an old format. Open it in Jupyter, save it, and hand it in again."),
        "new": _("{path} is a notebook in a format newer than 4, which cannot be read. Save it in format 4."),
        "shape": _("{path} is not a notebook: it has no cells. Save it again in Jupyter."),
    }[problem.reason]


def _is_text(data: bytes) -> bool:
    """Return whether Python could read the bytes as source: UTF-8 with or without BOM, or as a coding comment says."""
    if b"\0" in data:
        return False
    try:
        encoding, _lines = tokenize.detect_encoding(BytesIO(data).readline)
        if encoding.lower().replace("-", "_") in _BAD_CODECS:
            return False
        data.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError):
        return False
    return True

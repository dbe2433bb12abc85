"""Read what one student handed in; refuse what is unsafe, with a sentence that names the file.

Nothing here runs, parses or decompiles a student's code: files are bytes, and of a notebook no more is looked at
than whether it is one. A folder, a ZIP archive and a tarball with the same content are read the same.
"""

from __future__ import annotations

import contextlib
import functools
import re
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath

from grader import tree
from grader.messages import _
from grader.tree import DAMAGED, File, Folder, Node, Obstacle, Unreadable
from grader.worker.notebooks import NotANotebook, load_notebook
from lesson.course import load_course

MAX_FILE_BYTES = 2 * 10**6
# Pictures in the outputs make a notebook large.
MAX_NOTEBOOK_BYTES = 10 * 10**6
MAX_TOTAL_BYTES = 20 * 10**6
MAX_FILES = 2_000
# Files beside the code that it may read; more of them are left out without a word.
MAX_DATA_BYTES = 200_000
MAX_DATA_TOTAL_BYTES = 2 * 10**6
MAX_DATA_FILES = 200
# Archives inside each other.
_MAX_ARCHIVES = 2

SOURCE_SUFFIXES = (".py", ".ipynb")
_TEXT_SUFFIXES = (".py", ".ipynb", ".md")
_DATA_SUFFIXES = (".txt", ".json", ".csv", ".tsv", ".npy", ".toml", ".yaml", ".yml")
# What programs make for themselves: never anybody's answer. So are hidden folders.
IGNORED_FOLDERS = frozenset(
    {
        "$RECYCLE.BIN",
        "__MACOSX",
        "__pycache__",
        "__pypackages__",
        "bower_components",
        "dist-packages",
        "env",
        "node_modules",
        "site-packages",
        "venv",
    }
)
_IGNORED_ENDINGS = (".egg-info", ".dist-info")
# An installation of Python has one of the first, and consists of the others; a student's work may lie beside them.
_ENVIRONMENT_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})
_ENVIRONMENT_FOLDERS = frozenset({"bin", "include", "lib", "lib64", "scripts", "share", "conda-meta"})
# Files that would change how Python or pytest runs: none of them is ever used, and the instructor is told.
NOTED_FILES = frozenset({"conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "sitecustomize.py", "usercustomize.py"})
_NOTED_SUFFIXES = (".pth", ".pyc", ".pyo", ".so", ".pyd")
# Where a student keeps what is built, tried or superseded. Such a file counts if it alone has a graded function.
_COPIES = re.compile(
    r"build|dist|tests?|testing|old(er)?|previous|archived?|bac?kups?|bak|cop(y|ies)|trash", re.IGNORECASE
)
_COPY = re.compile(
    r"test_.*|.*_tests?|tests?|copy[\W_]of.*|(.*[\W_])?(old|bak|backup|copy|orig)([\W_]*\d*[\W_]*)?|.+-checkpoint",
    re.IGNORECASE,
)

# Archives that are not opened.
_OTHER_ARCHIVES = (".rar", ".7z", ".gz", ".bz2", ".xz", ".zst", ".lz", ".z", ".cab", ".arj", ".tbz", ".tbz2", ".txz")
_DOCUMENTS = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".html", ".htm", ".qmd", ".rmd", ".md", ".tex", ".pages", ".txt")
# A Python file or notebook under another name, such as recompute.py.txt.
_RENAMED = re.compile(r"(?P<name>.+\.(py|ipynb))\.(txt|json|text|html?|pdf|bak|download|orig|doc|docx)", re.IGNORECASE)
_RENAMED_SUFFIXES = {".pyw": ".py", ".py3": ".py"}
# Codecs that a source file may name but that are no encodings of text, or take forever on some.
_BAD_CODECS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})
_DEFINITION = re.compile(rb"\bdef\s+(\w+)|^(\w+)\s*=", re.MULTILINE)
_MARIMO = re.compile(rb"^app\s*=\s*marimo\.App\(", re.MULTILINE)


class Refused(Exception):
    """A submission that is not read; its text is a sentence for the report."""


class _TooLarge(Exception):
    """A file beyond its limit."""


@dataclass(frozen=True)
class Piece:
    """A file, folder or archive that belongs to a submission.

    Attributes
    ----------
    name
        As the student had it, where the system that it was handed in through has changed its name.
    """

    name: str
    node: Node


@dataclass(frozen=True)
class Submission:
    """What one student handed in.

    Attributes
    ----------
    id
        Of the student: from the roster or the system's download, else the name of the file or folder.
    path
        Where it lies; several files are listed with commas.
    files
        Relative POSIX path and bytes of every file that counts.
    notes
        Sentences about files that were ignored or refused.
    problem
        Why there is nothing to grade; empty when there is.
    name
        Of the student, from the roster or the system's download; empty without one.
    late
        Whether the system marked it as late.
    fault
        Why the grader failed to read it, which is nothing that the student has done; empty when it did not.
    """

    id: str
    path: str
    files: dict[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""
    name: str = ""
    late: bool = False
    fault: str = ""


def read_submission(path: Path, submission_id: str | None = None, name: str = "") -> Submission:
    """Read a submission that is one file, folder or archive; never raises for what a student has done."""
    node = tree.on_disk(path)
    return read_pieces([Piece(node.name, node)], submission_id or identity(node.name), name)


def read_pieces(
    pieces: Sequence[Piece], submission_id: str, name: str = "", notes: Iterable[str] = (), *, late: bool = False
) -> Submission:
    """Read the pieces of one submission; never raises for what a student has done.

    Folders and archives count with their content, as if it had been handed in file by file.
    """
    reader = _Reader()
    problem = ""
    try:
        reader.read(pieces)
    except (Refused, Unreadable) as error:
        problem = str(error)
    except OSError as error:
        named = Path(error.filename).name if isinstance(error.filename, str) else pieces[0].name
        problem = _("{path} cannot be read: {reason}.").format(path=named, reason=error.strerror or str(error))
    files = {} if problem else reader.chosen()
    path = ", ".join(piece.node.path for piece in pieces)
    before = (*notes, *([_("It was handed in late.")] if late else []), *reader.notes)
    if problem:
        return Submission(submission_id, path, {}, before, problem, name, late)
    if not any(file.endswith(SOURCE_SUFFIXES) or PurePosixPath(file).name in _text_files() for file in files):
        problem = " ".join(reader.reasons()) or _("There is no Python file and no notebook in {path}.").format(
            path=pieces[0].name
        )
        return Submission(submission_id, path, {}, before, problem, name, late)
    return Submission(submission_id, path, files, (*before, *reader.refusals), "", name, late)


def identity(name: str) -> str:
    """Return the id of a submission without a roster: the name of its file or folder, without what says its kind."""
    renamed = _RENAMED.fullmatch(name)
    if renamed:
        name = renamed["name"]
    lower = name.lower()
    for suffix in (*tree.ARCHIVE_SUFFIXES, *SOURCE_SUFFIXES, *_OTHER_ARCHIVES, *_RENAMED_SUFFIXES, *_DOCUMENTS):
        if lower.endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def open_archive(file: File) -> Folder:
    """Return the content of an archive; raises as `tree.opened`."""
    return tree.opened(file, _wanted)


def content(node: Node) -> list[Node] | None:
    """Return what a folder or archive holds; None when it is a file, or cannot be opened."""
    try:
        if isinstance(node, Folder):
            return node.entries()
        return open_archive(node).entries() if tree.is_archive(node.name) else None
    except Exception:  # noqa: BLE001 - what is wrong with it is told when it is read as a submission
        return None


def peek(file: File, limit: int) -> bytes:
    """Return at most so many bytes from the beginning of a file; none when it cannot be read."""
    try:
        return file.read(limit) if file.obstacle is Obstacle.NONE else b""
    except (OSError, *DAMAGED):
        return b""


def is_ignored(folder: Folder) -> bool:
    """Return whether a folder holds nothing of a student's: environments, caches, histories."""
    name = folder.name
    return name.startswith(".") or name in IGNORED_FOLDERS or name.endswith(_IGNORED_ENDINGS)


def is_copy(path: str) -> bool:
    """Return whether the name of a file, or of a folder it is in, says that it is a test, a backup or a build."""
    *folders, name = PurePosixPath(path).parts
    return any(map(_COPIES.fullmatch, map(identity, folders))) or _COPY.fullmatch(identity(name)) is not None


def definitions(data: bytes) -> set[str]:
    """Return the names of graded functions that a source file seems to define; a guess, since nothing is parsed."""
    found = {(match[1] or match[2]).decode("ascii", "replace") for match in _DEFINITION.finditer(data)}
    return found & _graded()


@functools.cache
def _graded() -> frozenset[str]:
    return frozenset(load_course().functions)


@functools.cache
def _text_files() -> frozenset[str]:
    """Return the names of files that hold a graded text."""
    return frozenset(load_course().texts.values())


def _limit(name: str) -> int:
    """Return how large a file of this name may be that is read, in bytes; 0 when it is not."""
    lower = name.lower()
    if name.startswith("._"):
        return 0
    if lower.endswith(".ipynb"):
        return MAX_NOTEBOOK_BYTES
    if lower.endswith(_TEXT_SUFFIXES):
        return MAX_FILE_BYTES
    return MAX_DATA_BYTES if lower.endswith(_DATA_SUFFIXES) else 0


def _wanted(path: str, size: int) -> int:
    *folders, name = path.split("/")
    if any(is_ignored(Folder(folder, "", list)) for folder in folders):
        return 0
    limit = tree.MAX_ARCHIVE_BYTES if tree.is_archive(name) else _limit(name)
    return limit + 1 if size <= limit else 0


class _Reader:
    """Collect the files of one submission within the limits."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.notes: list[str] = []
        self.refusals: list[str] = []
        # What is said only when there is nothing else.
        self._documents: list[str] = []
        self._passed: list[str] = []
        # Files of archives that are not what lies beside the archive under the same names.
        self._other_states: set[str] = set()
        self._listed = self._kept = self._kept_bytes = self._read_bytes = 0
        self._data_files = self._data_bytes = 0

    def read(self, pieces: Sequence[Piece]) -> None:
        """Read all pieces, loose files before what is in folders and archives."""
        containers = []
        for piece in pieces:
            node = piece.node
            if node.obstacle is Obstacle.MISSING:
                raise Refused(_("There is no file or folder {path}.").format(path=node.path))
            if node.obstacle is Obstacle.SYMBOLIC_LINK:
                raise Refused(_("{path} is a symbolic link; hand in the file itself.").format(path=node.name))
            if node.obstacle is Obstacle.SPECIAL:
                raise Refused(_("{path} is neither a file nor a folder.").format(path=node.name))
            if node.obstacle not in (Obstacle.NONE, Obstacle.HARD_LINK):
                raise Refused(_OBSTACLES[node.obstacle]().format(path=node.name))
            if isinstance(node, Folder) or tree.is_archive(node.name):
                containers.append(piece)
            else:
                self._file(node, _relative(piece.name), whole=True)
        for piece in containers:
            node = piece.node
            if len(pieces) == 1:
                self._walk(node if isinstance(node, Folder) else open_archive(node), "", 1, isinstance(node, File))
            else:
                self._container(node, piece.name, "", 1, 0)

    def chosen(self) -> dict[str, bytes]:
        """Return the files that count: without tests, backups and builds whose functions stand elsewhere too."""
        copies = {path for path in self.files if path.endswith(SOURCE_SUFFIXES) and is_copy(path)} | self._other_states
        originals = [data for path, data in self.files.items() if path.endswith(SOURCE_SUFFIXES) and path not in copies]
        first = set().union(*map(definitions, originals))
        chosen = {}
        for path, data in self.files.items():
            again = definitions(data) if path in copies else set()
            if again and again <= first:
                sentence = (
                    _("{path} was left out: a file beside the archive has its functions too.")
                    if path in self._other_states
                    else _("{path} was left out: its name says that it is a test, a copy or a backup.")
                )
                self._note(sentence.format(path=path))
            else:
                chosen[path] = data
        return chosen

    def reasons(self) -> list[str]:
        """Return why there is nothing to grade, as far as files that are there tell."""
        reasons = self.refusals + self._documents[:5]
        if not reasons and self._passed:
            sentence = _("There is no Python file and no notebook, except in {folders}, which is not looked into.")
            reasons = [sentence.format(folders=", ".join(self._passed[:5]))]
        return reasons

    def _walk(self, folder: Folder, prefix: str, depth: int, archives: int) -> None:
        entries = folder.entries()
        self._listed += len(entries)
        if self._listed > tree.MAX_ENTRIES:
            raise Refused(_("There are more than {limit} files and folders.").format(limit=tree.MAX_ENTRIES))
        if not _ENVIRONMENT_MARKS.isdisjoint(entry.name for entry in entries):
            if prefix:
                return
            entries = [entry for entry in entries if entry.name.lower() not in _ENVIRONMENT_FOLDERS]
        files = [entry for entry in entries if isinstance(entry, File)]
        for file in files:
            if not tree.is_archive(file.name):
                self._file(file, prefix + file.name)
        for entry in entries:
            if isinstance(entry, Folder) and is_ignored(entry):
                self._passed.append(prefix + entry.name)
            elif isinstance(entry, Folder) and depth >= tree.MAX_DEPTH:
                self._refuse(
                    _("{path} has more than {limit} folders inside each other and was not read.").format(
                        path=_shortened(prefix + entry.name), limit=tree.MAX_DEPTH
                    )
                )
            elif isinstance(entry, Folder):
                try:
                    self._walk(entry, f"{prefix}{entry.name}/", depth + 1, archives)
                except OSError as error:
                    self._unreadable(prefix + entry.name, error)
        for file in files:
            if tree.is_archive(file.name) and not file.name.startswith("._"):
                self._container(file, file.name, prefix, depth, archives)

    def _container(self, node: Node, name: str, prefix: str, depth: int, archives: int) -> None:
        """Read a folder or archive as if its content lay here; under its own name, if other content lies here."""
        if node.obstacle is not Obstacle.NONE:
            self._refuse(_OBSTACLES[node.obstacle]().format(path=prefix + name))
            return
        if isinstance(node, File) and archives >= _MAX_ARCHIVES:
            sentence = _("{path} is an archive inside archives and was not opened; pack the files into one .zip.")
            self._refuse(sentence.format(path=prefix + name))
            return
        outer, self.files = self.files, {}
        try:
            if isinstance(node, Folder):
                self._walk(node, "", depth + 1, archives)
            else:
                self._walk(open_archive(node), "", depth + 1, archives + 1)
        except Unreadable as error:
            self._refuse(str(error))
        except OSError as error:
            self._unreadable(prefix + name, error)
        finally:
            inner, self.files = self.files, outer
        if any(outer.get(prefix + path, data) != data for path, data in inner.items()):
            prefix = f"{prefix}{_relative(name)}/"
            self._other_states.update(prefix + path for path in inner if path.endswith(SOURCE_SUFFIXES))
        self.files.update({prefix + path: data for path, data in inner.items()})

    def _file(self, file: File, name: str, *, whole: bool = False) -> None:
        """Read a file, if it is of a kind that counts; `whole` when it was handed in by itself."""
        base = PurePosixPath(name).name
        if file.obstacle in _ALWAYS_TOLD:
            self._refuse(_OBSTACLES[file.obstacle]().format(path=_shortened(name)))
        elif base in NOTED_FILES or base.endswith(_NOTED_SUFFIXES):
            self._note(_("{path} was ignored.").format(path=name))
        elif base.startswith("._"):
            pass  # what macOS puts beside every file of an archive
        elif not base.lower().endswith(_TEXT_SUFFIXES):
            self._other(file, name)
        elif len(name) > tree.MAX_PATH:
            self._refuse(_("{path} has too long a name and was not read.").format(path=_shortened(name)))
        elif file.obstacle is not Obstacle.NONE and not (whole and file.obstacle is Obstacle.HARD_LINK):
            self._refuse(_OBSTACLES[file.obstacle]().format(path=name))
        else:
            limit = _limit(base)
            try:
                self._source(name, self._content(file, limit))
            except _TooLarge:
                sentence = _("{path} is larger than {limit} MB and was not read.")
                self._refuse(sentence.format(path=name, limit=limit // 10**6))
            except OSError as error:
                self._unreadable(name, error)

    def _source(self, name: str, data: bytes) -> None:
        """Keep a Python file, a notebook or a text in Markdown."""
        base = PurePosixPath(name).name.lower()
        if not _is_text(data):
            self._refuse(_not_text(data).format(path=name))
            return
        if base.endswith(".ipynb"):
            try:
                load_notebook(data)
            except NotANotebook as problem:
                self._refuse(_not_a_notebook(problem).format(path=name))
                return
        elif base.endswith(".md"):
            if base not in _text_files() and not base.startswith("readme"):
                self._documents.append(_document(name))
        elif _MARIMO.search(data):
            sentence = _(
                "{path} is a marimo notebook: its functions stand inside cells, where they are not found. Run "
                "`marimo export script {path} -o answers.py` and hand in answers.py."
            )
            self._note(sentence.format(path=name))
        self._kept_bytes += len(data)
        if self._kept_bytes > MAX_TOTAL_BYTES:
            raise Refused(_("The files are larger than {limit} MB in all.").format(limit=MAX_TOTAL_BYTES // 10**6))
        self._kept += 1
        if self._kept > MAX_FILES:
            raise Refused(_("There are more than {limit} files.").format(limit=MAX_FILES))
        # The suffix as the import system wants it, where Windows has made it RECOMPUTE.PY.
        stem, suffix = name[: name.rindex(".")], name[name.rindex(".") :]
        self.files[stem + suffix.lower()] = data

    def _other(self, file: File, name: str) -> None:
        """Keep a small file of data, or say what to do with a file that is not read."""
        base = PurePosixPath(name).name
        suffix = PurePosixPath(name).suffix.lower()
        renamed = _RENAMED.fullmatch(base)
        if suffix in _OTHER_ARCHIVES:
            self._refuse(_("{path} was not read; pack the files into a .zip archive.").format(path=name))
        elif renamed:
            self._refuse(_rename(name, renamed["name"]))
        elif suffix in _RENAMED_SUFFIXES:
            self._refuse(_rename(name, base[: -len(suffix)] + _RENAMED_SUFFIXES[suffix]))
        elif suffix in _DATA_SUFFIXES or suffix in _DOCUMENTS:
            data = None
            if file.obstacle is Obstacle.NONE:
                with contextlib.suppress(_TooLarge, OSError):
                    data = self._content(file, MAX_DATA_BYTES)
            self._data(name, suffix, data)

    def _data(self, name: str, suffix: str, data: bytes | None) -> None:
        base = PurePosixPath(name).name
        if suffix == ".json" and data is not None and b'"nbformat"' in data:
            self._refuse(_rename(name, base[: -len(suffix)] + ".ipynb"))
        elif suffix == ".txt" and data is not None and definitions(data):
            self._refuse(_rename(name, base[: -len(suffix)] + ".py"))
        elif suffix in _DOCUMENTS and data is not None and definitions(data):
            self._refuse(_document(name))
        elif suffix in _DOCUMENTS:
            self._documents.append(_document(name))
        if suffix not in _DATA_SUFFIXES or data is None or len(name) > tree.MAX_PATH:
            return
        if self._data_files < MAX_DATA_FILES and self._data_bytes + len(data) <= MAX_DATA_TOTAL_BYTES:
            self._data_files += 1
            self._data_bytes += len(data)
            self.files[name] = data

    def _content(self, file: File, limit: int) -> bytes:
        """Return the content of a file.

        Raises
        ------
        _TooLarge
            When it is larger than the limit, whatever it announces.
        OSError
            When it cannot be read, or is damaged.
        """
        data = b""
        if file.size <= limit:
            try:
                data = file.read(limit + 1)
            except DAMAGED:
                raise OSError(0, _("it is damaged")) from None
            self._read_bytes += len(data)
            if self._read_bytes > 10 * MAX_TOTAL_BYTES:
                raise Refused(_("The files are larger than {limit} MB in all.").format(limit=MAX_TOTAL_BYTES // 10**6))
        if file.size > limit or len(data) > limit:
            raise _TooLarge
        return data

    def _unreadable(self, name: str, error: OSError) -> None:
        reason = error.strerror or str(error)
        self._refuse(_("{path} cannot be read: {reason}.").format(path=_shortened(name), reason=reason))

    def _note(self, sentence: str) -> None:
        _append(self.notes, sentence)

    def _refuse(self, sentence: str) -> None:
        _append(self.refusals, sentence)


def _append(sentences: list[str], sentence: str) -> None:
    if len(sentences) < _MAX_SENTENCES:
        sentences.append(sentence)
    elif len(sentences) == _MAX_SENTENCES:
        sentences.append(_("There are more files like these."))


_MAX_SENTENCES = 30
_OBSTACLES = {
    Obstacle.SYMBOLIC_LINK: lambda: _("{path} is a symbolic link and was not read."),
    Obstacle.HARD_LINK: lambda: _("{path} is a hard link and was not read."),
    Obstacle.SPECIAL: lambda: _("{path} is not a regular file and was not read."),
    Obstacle.LINK_IN_ARCHIVE: lambda: _("{path} is a link or device and was not read."),
    Obstacle.TWICE: lambda: _("{path} is in the archive twice and was not read."),
    Obstacle.TOO_DEEP: lambda: _("{path} is too many folders deep and was not read."),
    Obstacle.COMPRESSION: lambda: _(
        "{path} is compressed in a way that is not read; pack the files again, with the usual compression."
    ),
}
# Whatever kind of file they would be.
_ALWAYS_TOLD = frozenset({Obstacle.SYMBOLIC_LINK, Obstacle.SPECIAL, Obstacle.LINK_IN_ARCHIVE, Obstacle.TOO_DEEP})


def _rename(path: str, name: str) -> str:
    return _("{path} was not read; rename it to {name}.").format(path=path, name=name)


def _document(path: str) -> str:
    return _("{path} is a document; hand in the .py file or the notebook (.ipynb) that it was made from.").format(
        path=path
    )


def _relative(name: str) -> str:
    """Return a name in which nothing separates folders."""
    return re.sub(r"[\\/\0]", "_", name) or "_"


def _shortened(path: str) -> str:
    return path if len(path) <= 80 else f"{path[:38]} … {path[-38:]}"


def _not_a_notebook(problem: NotANotebook) -> str:
    return {
        "json": _("{path} is not a notebook that can be read: it is not JSON. Save it again in Jupyter."),
        "old": _("{path} is a notebook in an old format. Open it in Jupyter, save it, and hand it in again."),
        "new": _("{path} is a notebook in a format newer than 4, which cannot be read. Save it in format 4."),
        "shape": _("{path} is not a notebook: it has no cells. Save it again in Jupyter."),
    }[problem.reason]


def _not_text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _("{path} is not text in UTF-8, but in UTF-16; save it as UTF-8.")
    return _("{path} is not text in UTF-8 and was not read; save it as UTF-8.")


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

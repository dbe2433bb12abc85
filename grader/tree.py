"""What was handed in as a tree of names: folders, ZIP archives and tarballs alike.

Files are bytes, and nothing is unpacked onto the disk. Whatever an archive claims about itself, reading it takes a
bounded amount of memory and time: no more is listed, read in one go or unpacked than the limits below.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import struct
import tarfile
import weakref
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from grader.messages import _

# Folders inside each other, and characters in a path below the submission.
MAX_DEPTH = 24
MAX_PATH = 400
# Files and folders that are listed, whether they count or not.
MAX_ENTRIES = 100_000
# Of an archive inside an archive, and of what is read out of a tarball.
MAX_ARCHIVE_BYTES = 100 * 10**6
# The table of contents of a ZIP archive: some 100,000 members.
_MAX_READ = 8 * 2**20
_MAX_UNPACKED = 10**9
_CHUNK = 2**20

ZIP_SUFFIXES = (".zip",)
TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz")
ARCHIVE_SUFFIXES = ZIP_SUFFIXES + TAR_SUFFIXES

# What the standard library raises for archives that are damaged in one way or another.
DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    NotImplementedError,
    EOFError,
    OverflowError,
    ValueError,
    IndexError,
    KeyError,
    struct.error,
    zlib.error,
)


class Unreadable(Exception):
    """An archive that is not read; its text is a sentence for the report."""


class _TooMuch(ValueError):
    """An archive beyond a limit."""


class Obstacle(Enum):
    """Why an entry is listed but not read."""

    NONE = auto()
    MISSING = auto()
    SYMBOLIC_LINK = auto()
    HARD_LINK = auto()
    SPECIAL = auto()
    LINK_IN_ARCHIVE = auto()
    TWICE = auto()
    TOO_DEEP = auto()
    COMPRESSION = auto()


@dataclass(frozen=True)
class File:
    """A file on the disk or in an archive.

    Attributes
    ----------
    path
        For people: where it lies, through archives too.
    size
        In bytes, as announced; what counts is what is read.
    read
        Returns at most so many bytes from its beginning; raises `OSError` or one of `DAMAGED`.
    where
        Its place on the disk; None inside an archive.
    """

    name: str
    path: str
    size: int
    read: Callable[[int], bytes]
    where: Path | None = None
    obstacle: Obstacle = Obstacle.NONE


@dataclass(frozen=True)
class Folder:
    """A folder, or the content of an archive; `entries` lists it in the order of names."""

    name: str
    path: str
    entries: Callable[[], list[Node]]
    where: Path | None = None
    obstacle: Obstacle = Obstacle.NONE


Node: TypeAlias = File | Folder

# The number of bytes of a file of this path and announced size that are wanted out of a tarball; 0 for none.
Wanted: TypeAlias = Callable[[str, int], int]


def is_archive(name: str) -> bool:
    """Return whether a file of this name is opened like a folder."""
    return name.lower().endswith(ARCHIVE_SUFFIXES)


def on_disk(path: Path) -> Node:
    """Return the file or folder at a path, without following a link."""
    name = path.name or path.resolve().name
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return File(name, str(path), 0, lambda _limit: b"", path, Obstacle.MISSING)
    if stat.S_ISDIR(status.st_mode):
        return Folder(name, str(path), lambda: _listed(path), path)
    if stat.S_ISLNK(status.st_mode):
        obstacle = Obstacle.SYMBOLIC_LINK
    elif not stat.S_ISREG(status.st_mode):
        obstacle = Obstacle.SPECIAL
    else:
        obstacle = Obstacle.HARD_LINK if status.st_nlink > 1 else Obstacle.NONE

    def read(limit: int) -> bytes:
        with _opened(path) as file:
            return file.read(limit)

    return File(name, str(path), status.st_size, read, path, obstacle)


def opened(file: File, wanted: Wanted) -> Folder:
    """Return the content of an archive.

    Parameters
    ----------
    wanted
        What to read out of a tarball, which can only be read from its beginning to its end.

    Raises
    ------
    Unreadable
        When it is damaged, encrypted, or larger than the limits allow.
    OSError
        When it cannot be read from the disk.
    """
    if file.where is not None:
        stream: BinaryIO = _opened(file.where)
    else:
        stream = io.BytesIO(_inner_archive(file))
    kept = False
    try:
        if file.name.lower().endswith(ZIP_SUFFIXES):
            folder, kept = _zip(file, stream), True
        else:
            folder = _tar(file, stream, wanted)
    except _TooMuch:
        sentence = _("{path} lists or unpacks to more than is read; hand in only the files that you have written.")
        raise Unreadable(sentence.format(path=file.name)) from None
    except DAMAGED:
        raise _damaged(file) from None
    finally:
        if not kept:
            stream.close()
    return folder


def _inner_archive(file: File) -> bytes:
    """Return the content of an archive that lies in an archive."""
    try:
        data = file.read(MAX_ARCHIVE_BYTES + 1)
    except DAMAGED:
        raise _damaged(file) from None
    if len(data) > MAX_ARCHIVE_BYTES:
        sentence = _("{path} is larger than {limit} MB and was not opened.")
        raise Unreadable(sentence.format(path=file.name, limit=MAX_ARCHIVE_BYTES // 10**6))
    return data


def _damaged(file: File) -> Unreadable:
    sentence = (
        _("{path} is not a ZIP archive that can be read.")
        if file.name.lower().endswith(ZIP_SUFFIXES)
        else _("{path} is not a tarball that can be read; pack the files into a .zip archive.")
    )
    return Unreadable(sentence.format(path=file.name))


def _opened(path: Path) -> BinaryIO:
    """Open a file for reading, unless a link has come into its place meanwhile."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags), "rb")


def _listed(folder: Path) -> list[Node]:
    nodes: list[Node] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(nodes) >= MAX_ENTRIES:
                raise Unreadable(_too_many(folder.name))
            nodes.append(on_disk(folder / entry.name))
    return sorted(nodes, key=lambda node: node.name)


def _too_many(name: str) -> str:
    return _("{path} holds more than {limit} files and folders.").format(path=name, limit=MAX_ENTRIES)


class _Bounded(io.RawIOBase):
    """A stream that is read a bounded amount at a time, and a bounded amount in all."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile) -> None:
        self._stream = stream
        self._left = _MAX_UNPACKED

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        wanted = _MAX_READ + 1 if size is None or size < 0 else size
        if wanted > _MAX_READ + 1:
            raise _TooMuch
        data = self._stream.read(wanted)
        self._left -= len(data)
        if len(data) > _MAX_READ or self._left < 0:
            raise _TooMuch
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()


class _Unpacked(_Bounded):
    """What comes out of a compressed stream: seeking forward unpacks and so counts; there is no way back."""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET or offset < self.tell():
            raise ValueError("a compressed stream has no way back")
        while self.tell() < offset and self.read(min(_CHUNK, offset - self.tell())):
            pass
        return self.tell()


class _Builder:
    """Folders and files of an archive, from the paths of its members."""

    def __init__(self, archive: File) -> None:
        self._archive = archive
        self._root: dict[str, _Branch] = {}
        self._count = 0

    def parts(self, name: str) -> list[str]:
        """Return the parts of a member's path; backslashes separate too, as some programs on Windows write them."""
        path = name.replace("\\", "/")
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if path.startswith("/") or re.match(r"[A-Za-z]:", path) or ".." in parts or "\0" in path:
            raise Unreadable(
                _("{archive} holds {path}, which points outside the archive.").format(
                    archive=self._archive.name, path=ascii(name)
                )
            )
        return parts

    def add(self, parts: list[str], file: File | None) -> None:
        """Add a file, or a folder if there is none."""
        if len(parts) > MAX_DEPTH + 1:
            parts = parts[: MAX_DEPTH + 1]
            file = File(parts[-1], self._path(parts), 0, lambda _limit: b"", obstacle=Obstacle.TOO_DEEP)
        branch = self._root
        for part in parts if file is None else parts[:-1]:
            inner = branch.get(part)
            if inner is None:
                self._counted()
                inner = branch[part] = {}
            if not isinstance(inner, dict):
                branch[part] = self._twice(inner)
                return
            branch = inner
        if file is None:
            return
        before = branch.get(file.name)
        if before is None:
            self._counted()
            branch[file.name] = file
        elif isinstance(before, dict):
            branch[file.name] = self._twice(file)
        elif before.obstacle is not Obstacle.TOO_DEEP:
            branch[file.name] = self._twice(before)

    def folder(self) -> Folder:
        """Return the content of the archive."""
        return self._folder(self._archive.name, self._archive.path, self._root)

    def file(
        self, parts: list[str], size: int, read: Callable[[int], bytes], obstacle: Obstacle = Obstacle.NONE
    ) -> File:
        """Return a file of the archive."""
        return File(parts[-1], self._path(parts), size, read, obstacle=obstacle)

    def _path(self, parts: list[str]) -> str:
        return "/".join([self._archive.path, *parts])

    def _counted(self) -> None:
        self._count += 1
        if self._count > MAX_ENTRIES:
            raise Unreadable(_too_many(self._archive.name))

    def _folder(self, name: str, path: str, branch: dict[str, _Branch]) -> Folder:
        def entries() -> list[Node]:
            return [
                self._folder(inner, f"{path}/{inner}", node) if isinstance(node, dict) else node
                for inner, node in sorted(branch.items())
            ]

        return Folder(name, path, entries)

    @staticmethod
    def _twice(file: File) -> File:
        return File(file.name, file.path, 0, file.read, obstacle=Obstacle.TWICE)


_Branch: TypeAlias = "File | dict[str, _Branch]"


def _zip(file: File, stream: BinaryIO) -> Folder:
    archive = zipfile.ZipFile(cast(BinaryIO, _Bounded(stream)))
    weakref.finalize(archive, stream.close)
    builder = _Builder(file)
    for member in archive.infolist():
        parts = builder.parts(member.filename)
        if not parts:
            continue
        builder.add(parts, None if member.is_dir() else _member(builder, archive, member, parts, file.name))
    return builder.folder()


def _member(
    builder: _Builder, archive: zipfile.ZipFile, member: zipfile.ZipInfo, parts: list[str], archive_name: str
) -> File:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        obstacle = Obstacle.LINK_IN_ARCHIVE
    elif member.flag_bits & 1:
        raise Unreadable(_("{path} is encrypted; hand in an archive without password.").format(path=archive_name))
    elif member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The others unpack a whole block at a time: a kilobyte becomes gigabytes before anybody can stop it.
        obstacle = Obstacle.COMPRESSION
    else:
        obstacle = Obstacle.NONE

    def read(limit: int) -> bytes:
        if obstacle is not Obstacle.NONE:
            raise zipfile.BadZipFile(f"{member.filename} is not to be read")
        try:
            with archive.open(member) as content:
                return _read(content.read, limit)
        except RuntimeError as error:
            raise zipfile.BadZipFile(str(error)) from None

    return builder.file(parts, member.file_size, read, obstacle)


def _tar(file: File, stream: BinaryIO, wanted: Wanted) -> Folder:
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    source = _Unpacked(gzip.GzipFile(fileobj=stream)) if packed else _Bounded(stream)
    builder = _Builder(file)
    total = count = 0
    # An existing file object, in a mode that neither guesses a compression nor reads ahead.
    with tarfile.TarFile(fileobj=cast(BinaryIO, source), mode="r") as archive:
        while (member := archive.next()) is not None:
            count += 1
            if count > MAX_ENTRIES:
                raise Unreadable(_too_many(file.name))
            archive.members.clear()  # type: ignore[attr-defined]  # it keeps all of them otherwise
            parts = builder.parts(member.name)
            if not parts:
                continue
            if member.isdir():
                builder.add(parts, None)
                continue
            data, obstacle = b"", Obstacle.NONE
            if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
                obstacle = Obstacle.LINK_IN_ARCHIVE
            elif limit := wanted("/".join(parts), member.size):
                content = archive.extractfile(member)
                data = _read(content.read, limit) if content else b""
                total += len(data)
                if total > MAX_ARCHIVE_BYTES:
                    raise Unreadable(
                        _("{path} unpacks to more than {limit} MB and was not read.").format(
                            path=file.name, limit=MAX_ARCHIVE_BYTES // 10**6
                        )
                    )
            builder.add(parts, builder.file(parts, member.size, _bytes(data), obstacle))
    return builder.folder()


def _bytes(data: bytes) -> Callable[[int], bytes]:
    return lambda limit: data[:limit]


def _read(read: Callable[[int], bytes], limit: int) -> bytes:
    """Read at most so many bytes, a bounded amount at a time."""
    chunks: list[bytes] = []
    while limit > 0 and (chunk := read(min(limit, _CHUNK))):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)

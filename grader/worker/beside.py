"""The files that lie beside a student's code, in memory: what was handed in can be read, what is written vanishes.

Nothing reaches a disk. The functions of Python that open and look at files are replaced while a submission is loaded;
for all code but the student's, and for the files of Python itself, they do what they always do.
"""

from __future__ import annotations

import builtins
import errno
import functools
import io
import os
import posixpath
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

# Where the submission seems to lie.
ROOT = "/submission"
# What a submission may write in all, in bytes.
MAX_WRITTEN = 16 * 2**20


class Beside:
    """The files of one submission.

    Parameters
    ----------
    files
        Relative POSIX path and bytes of each file that was handed in.
    sealed
        Whether a sandbox decides on files elsewhere; they seem not to exist otherwise.
    """

    def __init__(self, files: Mapping[str, bytes], *, sealed: bool) -> None:
        self._handed_in = files
        self._sealed = sealed
        # What libraries read as they are imported or work.
        places = (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), *filter(os.path.isabs, sys.path))
        self._of_python = tuple({place for path in places for place in (path, os.path.realpath(path))})
        self._written: dict[str, bytes] = {}
        self._removed: set[str] = set()
        self._folders = {folder for path in files for folder in _parents(path)} | {""}
        self._folder: str | None = None

    # What replaces Python's functions. Each gets the original first.

    def open(self, real: Callable[..., Any], file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        """Open a file in memory, or one of Python's own."""
        path = self._own(file)
        if path is None:
            self._refuse_elsewhere(file, writing=bool(set(mode) & set("wax+")))
            return real(file, mode, *args, **kwargs)
        if path in self._folders:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
        data = self._data(path)
        if "x" in mode and data is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), file)
        creates = bool(set(mode) & set("wax"))
        if (data is None and not creates) or posixpath.dirname(path) not in self._folders:
            raise _not_there(file)
        store = functools.partial(self._write, path) if creates or "+" in mode else None
        raw = _InMemory(b"" if "w" in mode else data or b"", store, os.fspath(file))
        if "a" in mode:
            raw.seek(0, io.SEEK_END)
        if store is not None:
            self._write(path, raw.getvalue())
        if "b" in mode:
            return raw
        names = ("buffering", "encoding", "errors", "newline")
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        return io.TextIOWrapper(
            raw, given.get("encoding") or "utf-8", given.get("errors"), given.get("newline"), write_through=True
        )

    def stat(self, real: Callable[..., Any], file: Any, *args: Any, **kwargs: Any) -> Any:
        """Say what a path is and how long."""
        path = self._own(file)
        if path is None:
            self._refuse_elsewhere(file)
            return real(file, *args, **kwargs)
        if path in self._folders:
            return os.stat_result((stat.S_IFDIR | 0o755, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        data = self._data(path)
        if data is None:
            raise _not_there(file)
        return os.stat_result((stat.S_IFREG | 0o644, 0, 0, 1, 0, 0, len(data), 0, 0, 0))

    def listdir(self, real: Callable[..., Any], file: Any = ".") -> Any:
        """Name what is in a folder."""
        path = self._own(file)
        if path is None:
            self._refuse_elsewhere(file)
            return real(file)
        if path not in self._folders:
            raise _not_there(file)
        there = {*self._folders, *self._handed_in, *self._written} - self._removed - {""}
        return sorted(posixpath.basename(each) for each in there if posixpath.dirname(each) == path)

    def scandir(self, real: Callable[..., Any], file: Any = ".") -> Any:
        """Look at what is in a folder."""
        if self._own(file) is None:
            self._refuse_elsewhere(file)
            return real(file)
        return _Entries(_Entry(self, os.fspath(file), name) for name in self.listdir(real, file))

    def mkdir(self, real: Callable[..., Any], file: Any, *args: Any, **kwargs: Any) -> None:
        """Make a folder."""
        path = self._own(file)
        if path is None:
            self._refuse_elsewhere(file, writing=True)
            real(file, *args, **kwargs)
        elif path in self._folders or self._data(path) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), file)
        elif posixpath.dirname(path) not in self._folders:
            raise _not_there(file)
        else:
            self._folders.add(path)

    def remove(self, real: Callable[..., Any], file: Any, *args: Any, **kwargs: Any) -> None:
        """Forget a file."""
        path = self._own(file)
        if path is None:
            self._refuse_elsewhere(file, writing=True)
            real(file, *args, **kwargs)
        elif self._data(path) is None:
            raise _not_there(file)
        else:
            self._written.pop(path, None)
            self._removed.add(path)

    def getcwd(self, _real: Callable[..., Any]) -> str:
        """Name the working folder."""
        return posixpath.join(ROOT, self._working_folder()).rstrip("/")

    def chdir(self, _real: Callable[..., Any], file: Any) -> None:
        """Change the working folder to another one of the submission."""
        path = self._own(file)
        if path is None or path not in self._folders:
            raise _not_there(file)
        self._folder = path

    def _data(self, path: str) -> bytes | None:
        if path in self._written:
            return self._written[path]
        return None if path in self._removed else self._handed_in.get(path)

    def _write(self, path: str, data: bytes) -> None:
        others = sum(len(value) for name, value in self._written.items() if name != path)
        if others + len(data) > MAX_WRITTEN:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        self._written[path] = data
        self._removed.discard(path)

    def _working_folder(self) -> str:
        """Return the folder that was changed to, or else that of the file whose code asks."""
        if self._folder is not None:
            return self._folder
        frame = _caller()[1]
        file = frame.f_globals.get("__file__") if frame is not None else None
        path = posixpath.relpath(file, ROOT) if isinstance(file, str) and file.startswith(f"{ROOT}/") else ""
        folder = posixpath.dirname(path)
        return folder if folder in self._folders else ""

    def _own(self, file: Any) -> str | None:
        """Return the path inside the submission, as it is among the files; None when it is elsewhere."""
        if isinstance(file, int):
            return None
        name = os.fsdecode(file).replace(os.sep, "/")
        if posixpath.isabs(name) or os.path.isabs(name):
            return _inside(name)
        path = _inside(posixpath.join(ROOT, self._working_folder(), name))
        # A path that is meant from the top of the submission works in its folders too.
        from_top = _inside(posixpath.join(ROOT, name))
        is_there = path is not None and (path in self._folders or self._data(path) is not None)
        return from_top if not is_there and from_top is not None and self._data(from_top) is not None else path

    def _refuse_elsewhere(self, file: Any, *, writing: bool = False) -> None:
        """Raise where the student's machine might have a file that is not there when it is graded."""
        if self._sealed or isinstance(file, int):
            return
        if writing:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), file)
        if not os.path.normpath(os.fsdecode(file)).startswith(self._of_python):
            raise _not_there(file)


class _InMemory(io.BytesIO):
    """A file in memory; what is written is stored when it is flushed or closed."""

    def __init__(self, data: bytes, store: Callable[[bytes], None] | None, name: str) -> None:
        super().__init__(data)
        self._store = store
        self.name = name

    def writable(self) -> bool:
        return self._store is not None

    def write(self, data: Any) -> int:
        if self._store is None:
            raise io.UnsupportedOperation("not writable")
        if self.tell() + memoryview(data).nbytes > MAX_WRITTEN:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.name)
        return super().write(data)

    def flush(self) -> None:
        super().flush()
        if self._store is not None:
            self._store(self.getvalue())

    def close(self) -> None:
        if not self.closed and self._store is not None:
            self._store(self.getvalue())
        super().close()


class _Entry:
    """What `os.scandir` yields."""

    def __init__(self, beside: Beside, folder: str, name: str) -> None:
        self._beside = beside
        self.name = name
        self.path = posixpath.join(folder, name)

    def __fspath__(self) -> str:
        return self.path

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        return self._beside.stat(os.stat, self.path)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self.stat().st_mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return not self.is_dir()

    def is_symlink(self) -> bool:
        return False


class _Entries:
    """An iterator over entries that can be closed."""

    def __init__(self, entries: Iterator[_Entry]) -> None:
        self._entries = entries

    def __iter__(self) -> Iterator[_Entry]:
        return self._entries

    def __next__(self) -> _Entry:
        return next(self._entries)

    def __enter__(self) -> _Entries:
        return self

    def __exit__(self, *_error: object) -> None:
        """Nothing is open."""

    def close(self) -> None:
        """Nothing is open."""


def _inside(path: str) -> str | None:
    """Return where an absolute path leads inside the submission; None when it leads elsewhere."""
    clean = posixpath.normpath(path)
    return "" if clean == ROOT else clean[len(ROOT) + 1 :] if clean.startswith(f"{ROOT}/") else None


def _parents(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


def _not_there(file: Any) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)


# --- in the place of Python's own functions -----------------------------------------------------------

# Module, name and the method of `Beside` that takes its place.
_REPLACED: tuple[tuple[Any, str, str], ...] = (
    (builtins, "open", "open"),
    (io, "open", "open"),
    (os, "stat", "stat"),
    (os, "lstat", "stat"),
    (os, "listdir", "listdir"),
    (os, "scandir", "scandir"),
    (os, "mkdir", "mkdir"),
    (os, "remove", "remove"),
    (os, "unlink", "remove"),
    (os, "getcwd", "getcwd"),
    (os, "chdir", "chdir"),
)
_originals: list[tuple[Any, str, Any]] = []
_users: set[int] = set()


def replace_functions(user: object) -> None:
    """Put our functions in the place of Python's, until all users have called `restore_functions`."""
    _users.add(id(user))
    if not _originals:
        for module, name, method in _REPLACED:
            real = getattr(module, name)
            _originals.append((module, name, real))
            setattr(module, name, _for_students(real, method))


def restore_functions(user: object) -> None:
    """Put Python's own functions back when nobody needs ours any more."""
    _users.discard(id(user))
    if not _users:
        while _originals:
            module, name, real = _originals.pop()
            setattr(module, name, real)


def _for_students(real: Callable[..., Any], method: str) -> Callable[..., Any]:
    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        beside = _caller()[0]
        return real(*args, **kwargs) if beside is None else getattr(beside, method)(real, *args, **kwargs)

    return function


# Libraries that open files for others. What another one opens, it needs itself.
_FOR_OTHERS = frozenset(
    [
        "bz2",
        "codecs",
        "configparser",
        "contextlib",
        "csv",
        "fileinput",
        "fnmatch",
        "functools",
        "genericpath",
        "glob",
        "gzip",
        "inspect",
        "io",
        "json",
        "linecache",
        "logging",
        "lzma",
        "ntpath",
        "numpy",
        "os",
        "pathlib",
        "pickle",
        "posixpath",
        "shutil",
        "tokenize",
        "tomllib",
        "zipfile",
    ]
)


def _caller() -> tuple[Beside | None, Any]:
    """Return the files that the student's code sees for which a function is called, and its frame; None for other."""
    frame = sys._getframe(1)
    while frame is not None:
        beside = getattr(frame.f_globals.get("__loader__"), "beside", None)
        if type(beside) is Beside:
            return beside, frame
        module = str(frame.f_globals.get("__name__"))
        if module != __name__ and module.partition(".")[0] not in _FOR_OTHERS:
            break
        frame = frame.f_back  # type: ignore[assignment]
    return None, None

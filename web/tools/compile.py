"""Turn the Python sources that a check runs into bytecode, inside Pyodide; run by pack.mjs.

Bytecode is quick to load but larger than its source, so what is not needed for a check stays source.
"""

import importlib.util
import sys
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from pathlib import Path

THIRD_PARTY = Path("/pack/thirdparty")
OURS = Path("/pack/ours")
LIBRARY = "/lib/python312.zip"

# Parts of the standard library that no exercise can use in a browser.
# fmt: off
LEFT_OUT = (
    "_pyrepl/", "curses/", "dbm/", "distutils/", "doctest", "ensurepip/", "ftplib", "html/", "idlelib/", "imaplib",
    "lib2to3/", "mailbox", "multiprocessing/", "nntplib", "optparse", "poplib", "pydoc_data/", "smtplib",
    "socketserver", "sqlite3/", "telnetlib", "test/", "tkinter/", "turtle", "turtledemo/", "venv/", "wsgiref/", "xml/",
    "xmlrpc/",
)
# fmt: on
# The editor's text is UTF-8; these are what else a source file may call itself.
ENCODINGS = (
    "__init__",
    "aliases",
    "ascii",
    "cp1252",
    "cp437",
    "idna",
    "iso8859_1",
    "iso8859_15",
    "latin_1",
    "punycode",
)


def is_left_out(name):
    """Whether a file of the standard library stays behind."""
    if name.startswith("encodings/"):
        stem = name.removeprefix("encodings/").removesuffix(".py")
        return not stem.startswith(("utf_", "unicode_", "raw_unicode_")) and stem not in ENCODINGS
    return name.endswith("/") or name.startswith(LEFT_OUT)


def files_of_a_check():
    """Check every stub and return the files of all modules that are loaded then."""
    sys.path[:0] = [str(OURS), str(THIRD_PARTY)]
    from grader.desk.browser import Desk
    from lesson.course import load_course

    desk = Desk()
    for exercise in load_course().exercises:
        stubs = "".join(f"def {name}(*args):\n    raise NotImplementedError\n" for name in exercise.functions)
        desk.check(exercise.id, stubs, lambda _message: None)
    return {module.__file__ for module in sys.modules.values() if getattr(module, "__file__", None)}


def bytecode(source, name, *, docstrings):
    """Return the content of a .pyc file that is used whatever the source's date is."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0 if docstrings else 2)
    return bytes(_code_to_hash_pyc(code, importlib.util.source_hash(source), checked=False))


def compile_library(used, source_name, target_name):
    """Write the standard library again, with bytecode for the modules that are used."""
    with zipfile.ZipFile(source_name) as library, zipfile.ZipFile(target_name, "w") as target:
        for name in sorted(library.namelist()):
            if is_left_out(name):
                continue
            content = library.read(name)
            place = f"{LIBRARY}/{name}"
            compiled = place in used
            if compiled:
                content = bytecode(content, place, docstrings=False)
            # A fixed date, so that the same build gives the same bytes.
            entry = zipfile.ZipInfo(name + "c" if compiled else name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content, compresslevel=9)


def compile_packages(used):
    """Put bytecode in the place of the sources that are used; our own stay beside it, for pytest to find the checks."""
    for path in [*THIRD_PARTY.rglob("*.py"), *OURS.rglob("*.py")]:
        if str(path) not in used:
            continue
        ours = path.is_relative_to(OURS)
        place = f"/packages/{path.relative_to(OURS if ours else THIRD_PARTY)}"
        # numpy._core puts its docstrings into its C functions and fails without them.
        content = bytecode(path.read_bytes(), place, docstrings=ours or "/numpy/_core/" in str(path))
        if ours:
            cached = path.parent / "__pycache__" / f"{path.stem}.cpython-312.pyc"
            cached.parent.mkdir(exist_ok=True)
            cached.write_bytes(content)
        else:
            path.with_suffix(".pyc").write_bytes(content)
            path.unlink()


sys.dont_write_bytecode = True
loaded = files_of_a_check()
compile_library(loaded, "/stdlib.zip", "/stdlib-compiled.zip")
compile_packages(loaded)

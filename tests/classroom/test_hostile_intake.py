"""What is handed in cannot break the reader, whatever it unpacks to; in a process with little memory."""

import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("read_within_limits.py")
# What Python, NumPy and hypothesis take, and room for the limits of the reader.
MEGABYTES = 350
SECONDS = 60
ANSWER = b"def relu(x):\n    return x\n"


def read(*arguments):
    command = [sys.executable, str(PROGRAM), str(MEGABYTES), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def member(name, size, kind=tarfile.REGTYPE, **headers):
    made = tarfile.TarInfo(name)
    made.size, made.type, made.pax_headers = size, kind, headers
    return made


def zeros(count):
    """Yield so many bytes, a bit at a time."""
    for _chunk in range(count // 10**6):
        yield bytes(10**6)


def packed_tar(path, header, size):
    """Write a compressed tarball of one member that unpacks to so many zeros."""
    with gzip.open(path, "wb", 1) as file:
        file.write(header)
        for chunk in zeros(size):
            file.write(chunk)
    return path


def made(name, folder):
    """Make a submission that is dangerous to read; returns it, and words of the sentence."""
    path = folder / ("bomb.zip" if "tar" not in name else "bomb.tar.gz")
    large = 400 * 10**6
    match name:
        case "zip with bzip2" | "zip with LZMA":
            method = zipfile.ZIP_BZIP2 if "bzip2" in name else zipfile.ZIP_LZMA
            with zipfile.ZipFile(path, "w", method) as archive, archive.open("a.py", "w") as file:
                for chunk in zeros(large if "bzip2" in name else large // 10):
                    file.write(chunk)
            return path, "compressed in a way that is not read"
        case "zip with deflate":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.py", "w") as file:
                for chunk in zeros(large):
                    file.write(chunk)
            data = path.read_bytes().replace(struct.pack("<L", large), struct.pack("<L", 1000))
            path.write_bytes(data)
            return path, "a.py"
        case "zip with many large members":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for number in range(40):
                    archive.writestr(f"a{number}.py", b"#" * 1_900_000)
            return path, "larger than 20 MB in all"
        case "zip with a long table":
            with zipfile.ZipFile(path, "w") as archive:
                for number in range(20_000):
                    archive.writestr(f"{number}{'x' * 450}", b"")
            return path, "bomb.zip lists or unpacks to more than is read"
        case "zip with deep folders":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("d/" * 10_000 + "a.py", ANSWER)
            return path, "more than 24 folders inside each other"
        case "zip in itself":
            data = ANSWER
            for level in range(30):
                buffer = io.BytesIO()
                with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
                    archive.writestr("a.zip" if level else "a.py", data)
                data = buffer.getvalue()
            path.write_bytes(data)
            return path, "an archive inside archives"
        case "zip whose end announces a lot":
            path.write_bytes(bytes(10**6) + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, large, 0, 0))
            return path, "not a ZIP archive"
        case "tar with a large member":
            return packed_tar(path, member("a.py", large).tobuf(), large), "larger than 2 MB"
        case "tar with a large header":
            header = member("././@PaxHeader", large, tarfile.XHDTYPE).tobuf()
            return packed_tar(path, header, large), "lists or unpacks to more than is read"
        case "tar with a long name":
            header = member("././@LongLink", large, tarfile.GNUTYPE_LONGNAME).tobuf()
            return packed_tar(path, header, large), "lists or unpacks to more than is read"
        case "tar of links":
            with tarfile.open(path, "w:gz") as archive:
                for number in range(1000):
                    link = member(f"a{number}.py", 0, tarfile.SYMTYPE)
                    link.linkname = "/etc/passwd"
                    archive.addfile(link)
            return path, "is a link or device"
        case "tar that goes on":
            with gzip.open(path, "wb", 1) as file:
                block = b"".join(member(f"x{number}", 0).tobuf() for number in range(1000))
                for _number in range(101):
                    file.write(block)
            return path, "more than 100000 files"
    raise LookupError(name)


@pytest.mark.parametrize(
    "name",
    [
        "zip with bzip2",
        "zip with LZMA",
        "zip with deflate",
        "zip with many large members",
        "zip with a long table",
        "zip with deep folders",
        "zip in itself",
        "zip whose end announces a lot",
        "tar with a large member",
        "tar with a large header",
        "tar with a long name",
        "tar of links",
        "tar that goes on",
    ],
)
def test_no_archive_takes_the_memory_or_the_time(tmp_path, name):
    path, words = made(name, tmp_path)
    started = time.monotonic()
    (found,) = read(path)
    assert words in found["problem"]
    assert found["files"] == []
    assert time.monotonic() - started < SECONDS / 2


@pytest.fixture
def deep_folder(tmp_path):
    """A folder with so many inside each other that no path names the last one, and that pytest could not remove."""
    before = Path.cwd()
    os.chdir(tmp_path)
    for _level in range(1900):
        Path("d").mkdir()
        os.chdir("d")
    os.chdir(before)
    yield tmp_path
    os.chdir(tmp_path)
    for _level in range(1900):
        os.chdir("d")
    for _level in range(1900):
        os.chdir("..")
        Path("d").rmdir()
    os.chdir(before)


def test_a_folder_however_deep_is_refused_with_a_sentence(deep_folder):
    (found,) = read(deep_folder)
    assert "more than 24 folders inside each other" in found["problem"]


def test_made_up_and_mutilated_submissions_end_in_a_verdict():
    ((count),) = read("--fuzz")
    assert count >= 300

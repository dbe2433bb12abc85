"""Read what is hostile in a process that has little memory; prints a line of JSON for each path: problem and files.

python read_within_limits.py MEGABYTES PATH...     reads these submissions
python read_within_limits.py MEGABYTES --fuzz      reads made-up and mutilated ones; prints how many
"""

import io
import json
import resource
import sys
import tarfile
import tempfile
import warnings
import zipfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.classroom.roster import take_in
from grader.files import read_submission
from grader.tree import MAX_PATH
from lesson.course import load_course

NAMES = st.one_of(
    st.sampled_from(["a.py", "x/a.py", "../b.py", "/c.py", "d\\e.py", ".", "..", "a.ipynb", "C:f.py", "a.zip", "x"]),
    st.text(max_size=8),
    st.lists(st.sampled_from(["d", "tests", ".git", "old"]), max_size=40).map(lambda parts: "/".join([*parts, "a.py"])),
)
CONTENTS = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([b"def relu(x): pass\n", b'{"cells": [], "nbformat": 4}', b"PK\5\6" + b"\0" * 18, b"#" * 100_000]),
)
MEMBERS = st.lists(st.tuples(NAMES, CONTENTS), max_size=5)
DAMAGE = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=8)


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in members:
            try:
                archive.writestr(name, data, len(data) % 2 * zipfile.ZIP_DEFLATED)
            except (ValueError, IndexError):  # names that this writer does not take
                continue
    return buffer.getvalue()


def tarred(members, packed):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz" if packed else "w") as archive:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.type = tarfile.SYMTYPE if name.startswith("..") else tarfile.REGTYPE
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def damaged(data, damage):
    data = bytearray(data)
    for place, value in damage:
        if data:
            data[int(place * (len(data) - 1))] = value
    return bytes(data)


def fuzz():
    course = load_course()
    count = 0

    @settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
    @given(st.sampled_from(["zip", "tar", "tar.gz", "tgz", "py", "ipynb", "bytes.zip", "bytes.tgz"]), MEMBERS, DAMAGE)
    def read(kind, members, damage):
        nonlocal count
        count += 1
        if kind in ("py", "ipynb") or kind.startswith("bytes."):
            data = b"".join(content for _name, content in members)
        else:
            data = zipped(members) if kind == "zip" else tarred(members, kind != "tar")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"fuzz.{kind}")
            path.write_bytes(damaged(data, damage))
            (Path(folder) / "good.py").write_bytes(b"def relu(x): pass\n")
            alone = read_submission(path)
            assert alone.problem or alone.files
            rows = [entry.read() for entry in take_in([Path(folder)], course).entries]
        assert any(row.files == {"good.py": b"def relu(x): pass\n"} for row in rows)
        assert not any(row.fault for row in rows)
        for name in alone.files:
            assert ".." not in name.split("/")
            assert not name.startswith("/")
            assert len(name) <= MAX_PATH

    read()
    print(count)


def main():
    limit = int(sys.argv[1]) * 10**6
    load_course().functions  # noqa: B018 - read before the limit is set, as in a run
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if sys.argv[2] == "--fuzz":
        fuzz()
        return
    for path in sys.argv[2:]:
        found = read_submission(Path(path))
        print(json.dumps({"problem": found.problem, "files": sorted(found.files)}))


if __name__ == "__main__":
    main()

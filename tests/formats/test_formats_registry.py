"""Every format writes through one door, and says what it has written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from made_runs import everything

from grader.formats.registry import Format

LEFT_OUT = ("Left out, because there is no score: s003.",)


@pytest.mark.parametrize("form", Format)
def test_a_format_makes_its_folder_and_tells_what_it_wrote(form: Format, tmp_path: Path) -> None:
    if form is Format.HTML:
        pytest.importorskip("jinja2")
    written = form.write(everything(), tmp_path / "grades" / "here")
    assert written.path.is_relative_to(tmp_path / "grades" / "here")
    assert written.path.is_file() or any(written.path.glob("*.json"))
    assert written.remarks == (LEFT_OUT if form is Format.CANVAS else ())


def test_no_two_formats_write_the_same_file(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    assert len({form.write(everything(), tmp_path).path for form in Format}) == len(Format)


def test_naming_the_formats_loads_none() -> None:
    program = (
        "import sys\nfrom grader.formats.registry import Format\n"
        "print(*(name for name in sys.modules if name == 'jinja2' or name.startswith('grader.formats.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.split()) == {"grader.formats.registry", "grader.formats.writing"}

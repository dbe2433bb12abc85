"""What the tests of the page share: wheels, and a site that is built once."""

import os
import shutil
from pathlib import Path

import pytest

from grader.page.build import WHEELS, Unbuildable, build_site, fetch_wheels
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
# Where a wheel may lie that need not be downloaded then.
NEARBY = ROOT.parent / "shared" / "pyodide"


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """A folder with all wheels."""
    if os.environ.get("SITE_WHEELS"):
        return Path(os.environ["SITE_WHEELS"])
    folder = tmp_path_factory.mktemp("wheels")
    for wheel in WHEELS:
        if (NEARBY / wheel.name).exists():
            shutil.copy(NEARBY / wheel.name, folder)
    try:
        fetch_wheels(folder, folder)
    except Unbuildable as error:
        pytest.skip(f"the wheels cannot be downloaded here: {error}")
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory, wheels):
    """A built site."""
    if not shutil.which("npm"):
        pytest.skip("building the page needs npm")
    folder = tmp_path_factory.mktemp("page") / "site"
    build_site(ROOT, load_course(), folder, wheels, lambda _doing: None)
    return folder

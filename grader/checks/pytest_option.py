"""The option `--submission` of `pytest --pyargs grader.checks`, which the course installs as a plugin of pytest."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option; what it does is in conftest.py beside the checks."""
    group = parser.getgroup("checkpointing-course")
    group.addoption(
        "--submission",
        metavar="PATH",
        help="With --pyargs grader.checks: the file or folder to check; the reference solutions by default.",
    )

"""Step 7: a first selective policy."""

from typing import Any

from grader.cases.case import Case
from grader.checks.claims import CasesOf, agree
from grader.messages import _
from grader.student.handle import Student


def test_attention(student: Student, case: CasesOf) -> None:
    agree(student, case("attention"), [_no_bool, _mebibytes])


def test_ffn(student: Student, case: CasesOf) -> None:
    agree(student, case("ffn"), [_no_bool, _mebibytes, _ratio_ignored])


def test_limits(student: Student, case: CasesOf) -> None:
    agree(student, case("limits"), [_no_bool, _limit_included])


def test_others(student: Student, case: CasesOf) -> None:
    agree(student, case("others"), [_no_bool, _others_recomputed])


def _no_bool(got: Any, case: Case) -> str | None:
    del case
    if isinstance(got, str):
        return _("Return a boolean, True or False, not a string.")
    if got is None:
        return _("Nothing was returned in this case; return a boolean, True or False.")
    if isinstance(got, int | float) and not isinstance(got, bool):
        return _("Return a boolean, True or False, not a number.")
    return None


def _mebibytes(got: Any, case: Case) -> str | None:
    size, limit = case.inputs["activation_bytes"], {"attention": 100, "ffn": 500}[case.inputs["layer_type"]]
    if not bool(got) and limit * 1e6 < size <= limit * 2**20:
        return _("The limit is {limit} MB of 10^6 bytes, not MiB of 2^20.").format(limit=limit)
    return None


def _ratio_ignored(got: Any, case: Case) -> str | None:
    if bool(got) and not case.expected and case.inputs["activation_bytes"] > 500e6:
        return _("The ratio is ignored: a feed-forward layer must also be cheap to recompute.")
    return None


def _limit_included(got: Any, case: Case) -> str | None:
    return _("The comparisons are strict: exactly at a limit the answer is False.") if bool(got) else None


def _others_recomputed(got: Any, case: Case) -> str | None:
    if bool(got):
        return _("Only attention and feed-forward layers are recomputed; every other kind is kept.")
    return None

"""Step 5: a memory estimator."""

import math
from typing import Any

from grader.cases.case import Case
from grader.checks.claims import CasesOf, agree, compare
from grader.checks.comparing import difference
from grader.messages import _
from grader.student.handle import Student


def test_store_all(student: Student, case: CasesOf) -> None:
    agree(student, case("store_all"), [_factor])


def test_checkpointed(student: Student, case: CasesOf) -> None:
    agree(student, case("checkpointed"), [_segments_only, _factor])


def test_long_segment(student: Student, case: CasesOf) -> None:
    group = case("long_segment")
    for each in group.cases:
        got = student.answer(each)
        # Counting the segment's k tensors, as the published lesson does, and counting the model's L are both right.
        if all(difference(got, right) for right in each.expected):
            asked = Case(each.function, each.inputs, each.expected[0])
            compare(asked, got, each.expected[0], group.public, [_no_segment, _factor])


def test_defaults(student: Student, case: CasesOf) -> None:
    agree(student, case("defaults"), [_other_defaults])


def _ratio(got: Any, case: Case) -> float:
    return float(got) / float(case.expected)


def _factor(got: Any, case: Case) -> list[str]:
    """Name what was left out or put in, from the ratio to the right answer."""
    ratio = _ratio(got, case)
    values = case.inputs
    known = [
        (1e6 / 2**20, _("This is in MiB of 2^20 bytes; 1 MB is 10^6 bytes.")),
        (1e-3, _("This is in GB; the answer is due in MB of 10^6 bytes.")),
        (1e6 / 2**30, _("This is in GiB; the answer is due in MB of 10^6 bytes.")),
        (1e6, _("This is in bytes; the answer is due in MB of 10^6 bytes.")),
        (1 / values.get("bytes_per_value", 2), _("bytes_per_value is ignored: these are elements, not bytes.")),
        (2 / values.get("bytes_per_value", 2), _("bytes_per_value is ignored: 2 bytes are used whatever it is.")),
        (1 / values.get("batch", 1), _("batch is ignored.")),
        (1 / values["n_layers"], _("n_layers is ignored: this is one layer.")),
        (1 / 12, _("A layer holds 12 tensors of the size of its input; this counts one.")),
        (1e6 / values.get("bytes_per_value", 2), _("These are elements; the answer is due in MB of 10^6 bytes.")),
        (8.0, _("These are bits; the answer is due in MB of 10^6 bytes.")),
    ]
    return [cause for value, cause in known if value != 1 and math.isclose(ratio, value, rel_tol=1e-9)]


def _units(case: Case) -> tuple[int, int, int, int]:
    n_layers, size = case.inputs["n_layers"], case.inputs["segment_size"]
    segments = math.ceil(n_layers / size)
    return n_layers, size, segments, segments + size


def _segments_only(got: Any, case: Case) -> list[str]:
    n_layers, size, segments, right = _units(case)
    ratio = _ratio(got, case)
    known = [
        (segments / right, _("Only the saved inputs are counted; the segment that is being rebuilt is missing.")),
        (size / right, _("Only the rebuilt segment is counted; the saved inputs of all segments are missing.")),
        (n_layers / right, _("segment_size is ignored: this counts a tensor for every layer.")),
        (
            (segments + 12 * size) / right,
            _("A layer of the rebuilt segment counts as one tensor in this estimator, not as 12."),
        ),
        (12.0, _("Each tensor counts 12 times; here a layer counts as one tensor.")),
    ]
    return [cause for value, cause in known if math.isclose(ratio, value, rel_tol=1e-9)]


def _no_segment(got: Any, case: Case) -> str | None:
    size = case.inputs["segment_size"]
    if math.isclose(_ratio(got, case), size / (1 + size)):
        return _("L // k is 0 when the segment is longer than the model: there is still one segment.")
    return None


def _other_defaults(got: Any, case: Case) -> str | None:
    del got, case
    return _("The defaults are hidden=8192, seq=8192, batch=1 and bytes_per_value=2.")

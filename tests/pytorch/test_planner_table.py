"""The committed comparison of the planner with PyTorch is true, and explains itself."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
SHORT = 8  # layers


def load():
    spec = importlib.util.spec_from_file_location(
        "planner_against_torch", ROOT / "benchmarks" / "planner_against_torch.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


ours = load()
DATA = json.loads((ROOT / "outputs" / "planner_against_torch.json").read_text(encoding="utf-8"))
LINES = [ours.Line(**line) for line in DATA["lines"]]


def test_the_page_is_what_the_rows_render_to() -> None:
    page = (ROOT / "outputs" / "planner_against_torch.md").read_text(encoding="utf-8")
    assert page == ours.render(DATA["torch"], LINES)
    assert DATA["torch"] in page
    assert "CPU figures only" in page


def test_all_cases_and_policies_are_there() -> None:
    assert [(line.case, line.policy) for line in LINES] == [(case, mode) for case in ours.CASES for mode in ours.MODES]
    assert len(ours.CASES) >= 6


def test_every_ratio_that_is_off_has_a_reason_and_no_other() -> None:
    for line in LINES:
        assert bool(line.reason) is line.is_off, line
    assert any(line.is_off for line in LINES)


def test_what_is_kept_is_predicted_within_one_percent() -> None:
    for line in LINES:
        if line.planned_kept is not None:
            assert line.kept == pytest.approx(line.planned_kept, rel=0.01), line


@pytest.mark.parametrize("case", [case for case, (shape, _real) in ours.CASES.items() if shape.layers <= SHORT])
def test_measuring_again_gives_the_committed_rows(case: str) -> None:
    committed = [line for line in LINES if line.case == case]
    for old, new in zip(committed, ours.lines_of(case), strict=True):
        if torch.__version__ == DATA["torch"]:
            assert asdict(new) == asdict(old)
        else:
            assert (new.kept, new.peak) == pytest.approx((old.kept, old.peak), rel=0.05)


def test_the_planner_still_says_what_it_said() -> None:
    for line in LINES:
        shape, _real = ours.CASES[line.case]
        assert ours.planned(shape, line.policy) in (None, (line.planned_kept, line.planned_peak))
        model = ours.planner_model(shape)
        assert line.in_flight == ours.gradients_in_flight(model, model.layer_kinds[0])


def test_a_plan_for_a_whole_gpu_is_never_too_small() -> None:
    for line in LINES:
        if line.peak_ratio is not None:
            assert line.peak_ratio < 1.01, line
            assert line.peak_ratio > 0.95 or line.policy == "offload" or line.case == "GPT-3, one layer", line


def test_a_plan_for_activations_alone_is_too_small_where_little_is_kept() -> None:
    assert max(line.activations_ratio for line in LINES if line.policy == "full") > 1.7

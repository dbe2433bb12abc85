"""The paper's tables and the errata: golden numbers, and pages that are up to date."""

import math
import re
from pathlib import Path

import pytest

from grader.author import reproduction
from grader.author.reproduction import (
    ERRATA,
    PUBLISHED,
    coefficients,
    errata_numbers,
    extra_terms,
    first_stage_gib,
    model_flops,
    pages,
    printed_selective_flops,
    printed_selective_overhead,
    render_errata,
    render_reproduction,
    reproduction_numbers,
    selective_overhead,
    utilization,
)

ROOT = Path(__file__).parents[2]
BY_NAME = {paper.name: paper for paper in PUBLISHED}


@pytest.mark.parametrize(
    ("name", "golden"),
    [
        ("22B", (26.33, 17.58, 13, 4.25, 2)),
        ("175B", (23, 14.25, 13, 4.25, 2)),
        ("530B", (21, 12.25, 13, 4.25, 2)),
        ("1T", (21, 12.25, 13, 4.25, 2)),
    ],
)
def test_coefficients(name, golden):
    assert list(coefficients(BY_NAME[name]).values()) == pytest.approx(golden, abs=0.005)


@pytest.mark.parametrize(
    ("name", "golden"),
    [
        ("22B", (59.25, 39.56, 29.25, 9.56, 4.50)),
        ("175B", (51.75, 32.06, 29.25, 9.56, 4.50)),
        ("530B", (86.13, 50.24, 53.32, 17.43, 8.20)),
        ("1T", (131.25, 76.56, 81.25, 26.56, 12.50)),
    ],
)
def test_first_stage(name, golden):
    assert list(first_stage_gib(BY_NAME[name]).values()) == pytest.approx(golden, abs=0.005)


def test_interleaving_costs_memory():
    paper = BY_NAME["175B"]
    plain, pieces = first_stage_gib(paper), first_stage_gib(paper, 3)
    assert all(pieces[key] == pytest.approx(plain[key] * (1 + 7 / 24)) for key in plain)


def test_utilization():
    for name, golden in {"175B": 51.4, "530B": 56.0, "1T": 56.3}.items():
        paper = BY_NAME[name]
        assert utilization(paper, model_flops(paper)) == pytest.approx(golden, abs=0.05)
        printed = utilization(paper, model_flops(paper) + printed_selective_flops(paper))
        assert printed == pytest.approx(paper.hfu, abs=0.05)


def test_equation_7():
    for p in PUBLISHED:
        h, s, v = p.hidden, 2048, 51200
        eq7 = 72 * p.batch * p.layers * s * h**2 * (1 + s / (6 * h) + v / (12 * h * p.layers))
        assert model_flops(p) == pytest.approx(eq7, rel=1e-12)


def test_overheads():
    for name, golden in {"22B": 1.73, "175B": 0.90, "530B": 0.55, "1T": 0.44}.items():
        assert 100 * selective_overhead(BY_NAME[name]) == pytest.approx(golden, abs=0.005)
        assert printed_selective_overhead(BY_NAME[name]) == pytest.approx(3 * selective_overhead(BY_NAME[name]))
    assert 100 * printed_selective_overhead(BY_NAME["175B"]) == pytest.approx(2.7, abs=0.05)
    assert 100 * printed_selective_overhead(BY_NAME["530B"]) == pytest.approx(1.6, abs=0.05)


def test_extra_terms():
    assert 100 * extra_terms(BY_NAME["22B"]) == pytest.approx(0.57, abs=0.005)
    for name in ("175B", "530B", "1T"):
        p = BY_NAME[name]
        assert extra_terms(p) == pytest.approx(p.pipeline / p.layers / (34 + 5 * p.heads * 2048 / p.hidden))


def test_layer_times():
    numbers = reproduction_numbers()["times"]
    assert "| full | 7.7 | 19.5 | 27.2 | 39 % | 38.8 % |" in numbers
    for forward, backward, printed in reproduction.LAYER_TIMES.values():
        if printed is not None:
            assert printed == round(100 * ((forward + backward) / 19.6 - 1))


def test_slips_are_named():
    page = render_reproduction()
    for words in ("Eq 8", '"Less than 0.01 %" is 0.57 %', "52.3 %", "52.1 %", "2.73 GiB", "issue 523"):
        assert words in page


def test_errata_numbers():
    numbers = errata_numbers()
    golden = {
        "elements": "805,306,368",
        "layer_gb": "1.61",
        "model_gb": "103",
        "selective_left": "49 to 62",
        "memory_1": "80",
        "memory_2": "65",
        "memory_8": "143",
        "long_share": "72.7",
        "long_overhead": "24",
        "naive_overhead": "28.6",
        "long_tb": "2.92",
        "long_rank_gb": "365",
    }
    assert golden.items() <= numbers.items()
    assert math.isclose(float(numbers["square_share"]), 1 / 7, abs_tol=0.001)


def test_errata_are_complete_and_every_number_is_used():
    assert len(ERRATA) == 21
    assert {erratum.topic for erratum in ERRATA} <= {
        "recompute",
        "cost_model",
        "selective",
        "policy",
        "torch_benchmark",
    }
    used = set(re.findall(r"{(\w+)}", " ".join(erratum.truth for erratum in ERRATA)))
    assert used == set(errata_numbers())
    assert set(re.findall(r"{(\w+)}", reproduction._REPRODUCTION)) == set(reproduction_numbers())


def test_pages_are_up_to_date():
    """If this fails: grader author build."""
    assert pages(ROOT) == {
        ROOT / "lesson/text/en/reproduction.md": render_reproduction(),
        ROOT / "lesson/errata.md": render_errata(),
    }
    assert all(path.read_text(encoding="utf-8") == text for path, text in pages(ROOT).items())

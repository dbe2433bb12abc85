"""The figures of the page are those that were measured, and lie in outputs/."""

import io
import json
import re

import pytest

pytest.importorskip("torch")

from notebook_tools import ROOT
from rich.console import Console

from lesson.decoder import BlockSizes
from lesson.figures import Remark, layer_at_scale, model_at_scale
from lesson.torch_forecast import Shape, Way, predict_flops
from solutions.torch_benchmark import run_blocks

PAGE = (ROOT / "lesson" / "text" / "en" / "torch_benchmark.md").read_text(encoding="utf-8")
POLICY = (ROOT / "lesson" / "text" / "en" / "policy.md").read_text(encoding="utf-8")
BENCHMARK = json.loads((ROOT / "outputs" / "torch_benchmark.json").read_text(encoding="utf-8"))
PLANNER = json.loads((ROOT / "outputs" / "planner_against_torch.json").read_text(encoding="utf-8"))["lines"]
MIB = 2**20
# As the page calls the cases.
CASES = {
    "six blocks from above, fp32": "tiny, fp32, real",
    "six blocks from above, bf16": "tiny, bf16, real",
    "GPT-3": "GPT-3",
    "GPT-3 without dropout, 8 layers": "GPT-3 without dropout, eight layers",
    "16,384 tokens, 8 layers": "long sequence, eight layers",
    "Llama 7B": "Llama 7B",
    "Llama 70B": "Llama 70B",
    "Llama 70B, fused attention": "Llama 70B, fused",
}


def table(head: str) -> dict[str, list[str]]:
    """Return the rows of the table that begins with a line, by their first cell."""
    lines = PAGE.partition(head + "\n")[2].splitlines()[1:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[: lines.index("")]]
    return {row[0]: row[1:] for row in rows}


def shown(renderable) -> str:
    """Return what a terminal shows."""
    console = Console(width=140, file=io.StringIO())
    console.print(renderable)
    return console.file.getvalue()


def measured(mode: str, segment_size: int | None = None) -> dict:
    (row,) = (
        row
        for row in BENCHMARK["rows"]
        if (row["dtype"], row["mode"], row["segment_size"]) == ("float32", mode, segment_size)
    )
    return row


def test_the_benchmark_s_table_is_what_was_measured():
    none = measured("none")
    rows = table("| mode | MiB kept | MiB peak | FLOPs | time |")
    assert list(rows) == ["none", "selective", "full, 1", "full, 2", "full, 3", "full, 6"]
    for name, (kept, peak, flops, seconds) in rows.items():
        mode, _comma, size = name.partition(", ")
        row = measured(mode, int(size) if size else None)
        assert (kept, peak) == tuple(f"{row[key]['measured'] / MIB:.1f}" for key in ("kept_bytes", "peak_bytes"))
        if mode != "none":
            assert flops == f"+{100 * (row['flops']['measured'] / none['flops']['measured'] - 1):.1f} %"
            assert seconds == f"+{100 * (row['seconds']['median'] / none['seconds']['median'] - 1):.0f} %"


def test_the_prediction_s_answer_is_what_was_measured():
    answer = PAGE.partition("have the lowest peak?\n")[2].partition("(measured")[0]
    peaks = [measured("full", size)["peak_bytes"]["measured"] / MIB for size in (1, 2, 6)]
    peaks.append(measured("selective")["peak_bytes"]["measured"] / MIB)
    assert re.findall(r"\d+\.\d", answer) == [f"{peak:.1f}" for peak in peaks]
    assert measured("full", 6)["peak_bytes"]["measured"] == pytest.approx(
        measured("none")["peak_bytes"]["measured"], rel=1e-4
    )


def test_what_the_page_says_about_work_and_offload():
    shape = Shape(6, BlockSizes(256, 8, dropout=0.0), 256, 4, "float32")
    extra = predict_flops(shape, Way("full", 1)) / predict_flops(shape, Way("none")) - 1
    assert f"k = 1 costs +{100 * extra:.1f} %" in PAGE
    host = measured("offload")["host_bytes"]
    assert f"What the blocks keep is {host['predicted'] / MIB:.0f} MiB, and {host['measured'] / MIB:.1f} travel" in PAGE
    assert BENCHMARK["figures"] == "CPU figures only"
    assert BENCHMARK["threads"] == 2
    assert all(row["gradients_equal"] and row["loss_equal"] for row in BENCHMARK["rows"])


def test_the_planner_s_table_is_what_was_found():
    rows = table("| | none | selective | full | offload |")
    assert list(rows) == list(CASES)
    for name, cells in rows.items():
        lines = {line["policy"]: line for line in PLANNER if line["case"] == CASES[name]}
        for policy, cell in zip(("none", "selective", "full", "offload"), cells, strict=True):
            line = lines[policy]
            assert cell == ("" if line["planned_peak"] is None else f"{line['peak'] / line['planned_peak']:.2f}")


def test_with_gradients_counted_the_planner_is_as_good_as_the_page_says():
    ratios = [
        line["peak"] / (line["planned_peak"] + line["in_flight"])
        for line in PLANNER
        if line["case"] in CASES.values() and line["policy"] != "offload" and line["planned_peak"] is not None
    ]
    assert (f"{min(ratios):.2f}", f"{max(ratios):.2f}") == ("0.97", "1.01")
    assert "lie between 0.97 and 1.01" in PAGE


def test_the_policy_page_knows_gpt3_s_peak():
    (line,) = (line for line in PLANNER if (line["case"], line["policy"]) == ("GPT-3", "full"))
    found, planned = line["peak"], line["planned_peak"]
    assert f"{planned / 1e9:.2f} GB. PyTorch's peak was {found / 2**30:.1f} GiB, or {found / 1e9:.1f} GB" in POLICY
    assert f"The {(found - planned) / 1e9:.1f} GB between them" in POLICY


def test_the_tables_at_scale_show_what_the_page_says():
    text = shown(layer_at_scale(run_blocks))
    assert "114.000" in text
    assert "114.167" in text
    assert "causal mask" in text


@pytest.mark.slow
def test_the_quiz_about_long_segments():
    lines = [line.split("│") for line in shown(model_at_scale(run_blocks)).splitlines() if "│" in line]
    rows = {cells[1].strip(): cells[2:6] for cells in lines}
    one, ten = ([float(cell) for cell in rows[name]] for name in ("full, k = 1", "full, k = 10"))
    quiz = PAGE.partition("Quiz: full with 10 layers")[2].partition("```")[0]
    assert f"{ten[0]} GiB are kept instead of {one[0]}" in quiz
    assert f"{ten[2]} GiB are alive instead of {one[2]}" in quiz


def test_before_the_answer_is_written_a_figure_says_so():
    def stub(*_args):
        raise NotImplementedError

    assert isinstance(layer_at_scale(stub), Remark)
    assert isinstance(model_at_scale(stub), Remark)

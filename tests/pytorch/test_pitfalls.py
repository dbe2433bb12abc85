"""The page's faults: every cell shows its fault, and the text around it says the same number."""

# The folder must not be called `torch`: without PyTorch it would be what `import torch` finds.
import contextlib
import io
import re

import pytest

torch = pytest.importorskip("torch")

from notebook_tools import ROOT, read  # noqa: E402

PAGE = (ROOT / "lesson" / "text" / "en" / "torch_benchmark.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## What goes wrong in practice")[2].partition("\n## ")[0]
FAULTS = [
    "Dropout drawn again",
    "Frozen inputs and the reentrant variant",
    "A bare Linear wrapped",
    "An in-place change",
    "k = 1 against √L",
    "Selective around fused attention",
    "Offload that misses the peak",
]
MIB = 2**20


@pytest.fixture(scope="module")
def page():
    """The names that the cells leave behind, and what each fault's cell prints."""
    cells = [cell.source for cell in read("torch_benchmark").cells if re.fullmatch(r"what-.*-code(-\d+)?", cell.id)]
    names = {}
    printed = []
    for cell in cells:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(cell, names)
        printed.append(out.getvalue())
    assert printed[0] == ""  # what they share
    return names, dict(zip(FAULTS, printed[1:], strict=True))


@pytest.fixture
def printed(page):
    return page[1]


@pytest.fixture
def shared(page):
    return page[0]


def prose(fault):
    text = SECTION.partition(f"### {fault}\n")[2].partition("\n### ")[0]
    assert text, fault
    return re.sub(r"```\{code-cell\} python\n.*?\n```\n", "", text, flags=re.DOTALL)


def numbers(pattern, text):
    """Return what the pattern's groups find, in all places; thousands have commas."""
    found = [[float(group.replace(",", "")) for group in match.groups()] for match in re.finditer(pattern, text)]
    assert found, (pattern, text)
    return found


def said(fault, *sentences):
    for sentence in sentences:
        assert sentence in prose(fault)


def test_the_page_has_a_cell_for_each_fault():
    assert re.findall(r"^### (.*)$", SECTION, re.MULTILINE) == FAULTS
    assert all(SECTION.partition(f"### {fault}\n")[2].count("```{code-cell}") >= 1 for fault in FAULTS)


def test_without_the_random_state_gradients_are_those_of_another_mask(printed, shared):
    fault = "Dropout drawn again"
    (right, right_share), (wrong, wrong_share) = numbers(r"difference ([\d.]+), (\d+)% of", printed[fault])
    assert right == right_share == 0
    assert 0.0003 < wrong < 0.003
    [(claimed,)] = numbers(r"it is (\d+) % of the largest gradient", prose(fault))
    assert wrong_share == pytest.approx(claimed, abs=15)
    (block,) = shared["decoder"](1, shared["sizes"])
    losses = []
    for restored in (True, False):
        torch.manual_seed(1)
        y = shared["checkpoint"](block, shared["x"], use_reentrant=False, preserve_rng_state=restored)
        losses.append(y.square().mean().item())
    said(fault, "the loss of the step is still right to the last digit")
    assert losses[0] == losses[1]


def test_the_reentrant_variant_leaves_trainable_parameters_without_gradients(printed):
    fault = "Frozen inputs and the reentrant variant"
    counts = numbers(r"(\d+) of (\d+) trainable parameters have no gradient", printed[fault])
    assert counts == [[48, 50], [0, 50], [0, 50]]
    first, *others = re.findall("warning: (.*)", printed[fault])
    assert "None of the inputs have requires_grad=True" in first
    assert others == ["none", "none"]
    said(fault, "of the 50 trainable parameters get no gradient?\n48: all of the blocks'.")


def test_a_checkpoint_around_a_linear_saves_nothing(printed):
    fault = "A bare Linear wrapped"
    assert numbers(r"([\d.]+) MiB kept, ([\d.]+) MiB saved", printed[fault]) == [[2.25, 0], [2.25, 0], [0.25, 2]]
    [(state,)] = numbers(r"([\d,]+) bytes", printed[fault])
    said(fault, "Each Linear: 0.00 MiB. All three: 2.00 of 2.25 MiB", f"costs {state:,.0f} bytes")


def test_an_in_place_change_is_noticed_only_in_what_was_saved(printed, shared):
    fault = "An in-place change"
    *noticed, silent = printed[fault].splitlines()
    assert [line.partition(":")[0] for line in noticed] == ["no checkpoint", "as an argument"]
    assert all("error, one of the variables needed" in line and "inplace" in line for line in noticed)
    assert silent.startswith("from outside: no error")
    [(share,)] = numbers(r"off by (\d+)% of", silent)
    [(claimed,)] = numbers(r"off by (\d+) % of the largest", prose(fault))
    assert share == pytest.approx(claimed, abs=15)
    said(fault, "Error, error, wrong gradients.", "An optimizer step between forward and backward is an error without")
    x, checkpoint = shared["x"], shared["checkpoint"]

    def trained(run):
        (block,) = shared["decoder"](1, shared["sizes"])
        step = torch.optim.SGD(block.parameters(), lr=0.1)
        run(block).square().mean().backward()
        before = shared["gradients"](block, lambda: run(block))
        after = shared["gradients"](block, lambda: run(block), lambda: _step(step, before, block))
        return (after - before).abs().max()

    with pytest.raises(RuntimeError, match="inplace"):
        trained(lambda block: block(x))
    assert trained(lambda block: checkpoint(block, x, use_reentrant=False)) > 0


def _step(optimizer, gradients, block):
    start = 0
    for parameter in block.parameters():
        parameter.grad = gradients[start : start + parameter.numel()].view_as(parameter)
        start += parameter.numel()
    optimizer.step()
    optimizer.zero_grad()


def test_segments_of_one_block_have_the_lowest_peak(printed):
    fault = "k = 1 against √L"
    one, root, all_in_one, none = numbers(r"([\d.]+) MiB kept, +([\d.]+) MiB at the peak", printed[fault])
    assert [one[0], root[0], all_in_one[0]] == [2.25, 0.75, 0.25]
    assert none[0] > 50 * one[0] / 2.25
    assert root[1] / one[1] == pytest.approx(2, abs=0.2)
    assert all_in_one[1] == none[1]
    said(
        fault,
        f"√L needs {root[1]} MiB, twice the {one[1]} of k = 1.",
        f"Its peak is {all_in_one[1]} MiB",
        "k = 9 keeps the least, 0.25 MiB.",
        f"a block keeps {none[0] / 9 / 0.25:.1f} times its input, and √(9/25.6) is {(9 / 25.6) ** 0.5:.1f}",
    )


def test_selective_saves_next_to_nothing_of_fused_attention(printed):
    fault = "Selective around fused attention"
    explicit, fused = numbers(r"([\d.]+) MiB kept, with selective ([\d.]+), ([\d.]+)% saved", printed[fault])
    assert explicit[1] == fused[1]
    assert explicit[2] > 15
    assert fused[2] < 1
    said(
        fault,
        f"Explicit attention goes from {explicit[0]} to {explicit[1]} MiB.",
        f"Fused attention was at {fused[0]} before",
        f"so selective saves {fused[2]} %.",
    )


def test_offload_frees_what_is_small_at_the_peak(printed, shared):
    fault = "Offload that misses the peak"
    (kept, peak), (kept_less, peak_less) = numbers(r"keep ([\d.]+) MiB, the peak is ([\d.]+) MiB", printed[fault])
    assert [kept, kept_less] == [2, 0.25]
    assert peak_less == pytest.approx(peak - (kept - kept_less), abs=0.01)
    said(
        fault,
        "from 2.00 to 0.25 MiB.",
        f"from {peak:.2f} to {peak_less:.2f} MiB, by {1 - peak_less / peak:.0%}".replace("%", " %"),
        f"One array of logits takes {shared['x'].numel() // 256 * 16384 * 4 // MIB} MiB.",
        "At the peak three arrays of 16 MiB are alive",
    )
    assert 3 * 16 <= peak_less < 3.1 * 16


def test_a_head_in_pieces_lowers_the_peak(shared):
    nn, head = shared["nn"], shared["head"]

    class Quarters(nn.Module):
        def forward(self, y):
            pieces = y.flatten(0, 1).chunk(4)
            losses = [shared["checkpoint"](lambda p: head(p).mean(), p, use_reentrant=False) for p in pieces]
            return torch.stack(losses)

    _kept, peak = shared["kept_and_peak"](nn.Sequential(shared["blocks"], Quarters()))
    said("Offload that misses the peak", f"for each quarter of the tokens, and no offload, the peak is {peak:.2f} MiB")


def test_cells_do_the_same_every_time(page):
    cells = re.findall(r"```\{code-cell\} python\n(.*?)\n```", SECTION, re.DOTALL)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for cell in cells[:2]:
            exec(cell, names)
    assert out.getvalue() == page[1][FAULTS[0]]

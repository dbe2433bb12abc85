"""Fake tensors tell what models would keep that no laptop holds."""
# ruff: noqa: E402

from __future__ import annotations

import io
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from rich.console import Console

from lesson.torch_forecast import Way, predict_memory
from lesson.torch_scale import (
    GPT3,
    LLAMA_70B,
    LLAMA_70B_FUSED,
    at_scale,
    compare_items,
    item_table,
    named,
    scale_table,
)
from solutions.torch_benchmark import run_blocks

GIB = 2**30
LONG = replace(LLAMA_70B, seq=8192)


@pytest.mark.parametrize(
    ("shape", "mode", "sbh"),
    [
        (GPT3, "none", 114.167),
        (GPT3, "selective", 34.001),
        (GPT3, "full", 2.0),
        (GPT3, "offload", 0.0),
        (LLAMA_70B, "none", 105.001),
        (LLAMA_70B, "selective", 40.501),
        (LLAMA_70B, "full", 2.0),
        (LONG, "none", 169.501),
        (LONG, "selective", 40.501),
        (LLAMA_70B_FUSED, "none", 40.532),
        (LLAMA_70B_FUSED, "full", 2.0),
        (LLAMA_70B_FUSED, "offload", 0.0),
    ],
    ids=str,
)
def test_one_layer_keeps(shape, mode: str, sbh: float) -> None:
    found = at_scale(run_blocks, replace(shape, layers=1), mode)
    assert found.in_sbh(found.memory.kept) == pytest.approx(sbh, abs=0.001)
    assert sum(found.items.values()) == found.memory.kept
    assert sum(found.peak_items.values()) == found.memory.peak


@pytest.mark.parametrize("shape", [GPT3, LLAMA_70B, LONG, LLAMA_70B_FUSED], ids=["gpt", "llama", "long", "fused"])
def test_every_item_of_the_formula_is_found_and_what_else_there_is_has_a_name(shape) -> None:
    rows = compare_items(at_scale(run_blocks, replace(shape, layers=2)))
    for name, formula, found, operations in rows:
        if formula:
            assert found == pytest.approx(formula, abs=1e-6), name
        else:
            assert name in ("causal mask", "statistics of norms", "statistics of attention")
            assert found < 1.01
        assert operations


def test_selective_keeps_all_but_the_core() -> None:
    rows = compare_items(at_scale(run_blocks, replace(GPT3, layers=1), "selective"))
    lost = {name for name, formula, found, _operations in rows if formula and not found}
    assert lost == {"softmax", "softmax dropout mask", "softmax dropout output"}


def test_offload_leaves_nothing_on_the_device_and_copies_more_than_once() -> None:
    for shape, times in ((GPT3, 2.3), (LLAMA_70B_FUSED, 1.8)):
        found = at_scale(run_blocks, replace(shape, layers=2), "offload")
        everything = at_scale(run_blocks, replace(shape, layers=2)).memory
        assert (found.memory.kept, found.items) == (0, {})
        assert found.memory.host / everything.kept == pytest.approx(times, abs=0.05)
        assert found.memory.peak < everything.peak


def test_all_of_gpt3_with_a_checkpoint_around_every_layer() -> None:
    found = at_scale(run_blocks, GPT3, "full").memory
    assert found.kept / GIB == pytest.approx(4.5)
    assert found.peak / GIB == pytest.approx(8.465, abs=0.01)


def test_memory_grows_by_the_layer() -> None:
    two, four = (at_scale(run_blocks, replace(GPT3, layers=layers)).memory for layers in (2, 4))
    assert four.kept == 2 * two.kept
    assert four.peak - four.kept == two.peak - two.kept


@pytest.mark.parametrize("shape", [GPT3, LLAMA_70B, LONG, LLAMA_70B_FUSED], ids=["gpt", "llama", "long", "fused"])
@pytest.mark.parametrize("way", [Way("none"), Way("selective"), Way("full"), Way("full", 3), Way("offload")], ids=str)
def test_the_formulas_say_the_peak_too(shape, way: Way) -> None:
    few = replace(shape, layers=7)
    found, said = at_scale(run_blocks, few, way.mode, way.segment_size).memory, predict_memory(few, way)
    assert found.kept == pytest.approx(said.kept, rel=0.01)
    assert found.peak == pytest.approx(said.peak, rel=0.06 if way.mode == "offload" else 0.02)


def test_tables_say_it_in_words() -> None:
    console = Console(file=io.StringIO(), width=160)
    console.print(item_table(at_scale(run_blocks, replace(GPT3, layers=1))))
    console.print(scale_table(run_blocks, replace(GPT3, layers=2), [Way("none"), Way("full", 2)]))
    text = console.file.getvalue()
    for part in ("114.000", "114.167", "causal mask", "core.dropout/native_dropout", "full, k = 2"):
        assert part in text


def test_what_has_no_name_keeps_that_of_its_operation() -> None:
    sizes = {"core/new": 1, "backward/mm": 2, "backward/add": 3, "backward/_to_copy": 4, "key/mm": 5, "value/mm": 6}
    assert named(sizes) == {
        "core/new": 1,
        "gradients in flight": 5,
        "copies made by the backward": 4,
        "keys and values": 11,
    }

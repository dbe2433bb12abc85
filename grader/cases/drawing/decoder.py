"""A decoder to run: exercise 5. No answers, as only PyTorch itself can give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.cases.drawing.drawer import Drawer, Groups, Reference

BATCH, SEQ, HIDDEN, HEADS, BLOCKS = 2, 64, 32, 4, 5
# Segments of one block; several, the last of them shorter; all in one; longer than the model.
SEGMENTS = (1, 2, BLOCKS, BLOCKS + 2)


def _exercise5(rng: np.random.Generator, reference: Reference) -> Groups:
    del reference

    def run(mode: str, segment_size: int = 1, **others: Any) -> Case:
        x, grad_output = rng.standard_normal((2, BATCH, SEQ, HIDDEN))
        model = {"layers": BLOCKS, "heads": HEADS, "dropout": 0.2, "frozen": 0, "x_needs_gradient": True, **others}
        seed = int(rng.integers(2**31))
        inputs = {"x": x, "mode": mode, "segment_size": segment_size, "grad_output": grad_output, "seed": seed, **model}
        return Case("run_blocks", inputs)

    every = [run("none"), *(run("full", size) for size in SEGMENTS), run("selective"), run("offload")]
    # Without dropout, so that random numbers are not asked about a second time.
    frozen: dict[str, Any] = {"frozen": 2, "x_needs_gradient": False, "dropout": 0.0}
    return {
        "gradients": every,
        "frozen": [run("none", **frozen), run("full", 2, **frozen), run("selective", **frozen)],
        "work": every,
        "kept": [each for each in every if each.inputs["mode"] in ("full", "selective")],
        "offload": [run("offload", dropout=0.0)],
    }


DRAWERS: dict[str, Drawer] = {"exercise5": _exercise5}

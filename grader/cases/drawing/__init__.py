"""Draw the inputs of every check from a random generator, with answers from the reference.

The reference is handed in as a namespace of functions, so that this package can be read without the solutions.
"""

from __future__ import annotations

import zlib

import numpy as np

from grader.cases.drawing import chain, cost_model, decoder, policy, selective
from grader.cases.drawing.drawer import Drawer, Groups, Reference

_DRAWERS: dict[str, Drawer] = {
    **chain.DRAWERS,
    **cost_model.DRAWERS,
    **selective.DRAWERS,
    **policy.DRAWERS,
    **decoder.DRAWERS,
}


def draw_cases(exercise_id: str, seed: int, reference: Reference) -> Groups:
    """Draw the cases of one exercise; the same seed always gives the same ones."""
    generator = np.random.default_rng([seed, zlib.crc32(exercise_id.encode())])
    return _DRAWERS[exercise_id](generator, reference)

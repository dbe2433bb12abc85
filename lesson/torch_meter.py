"""Measure what PyTorch keeps alive: the bytes of every storage that an operation creates."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class MemoryMeter(TorchDispatchMode):
    """Count the memory of the tensors that come into being inside a `with` block, for as long as they live.

    Memory is counted once, however many tensors look at it, and under the operation that created it. What existed
    before, such as parameters and inputs, is left out. Fake tensors count with the memory they would take.

    Attributes
    ----------
    alive, peak
        Bytes now, and the most there have been.
    """

    def __init__(self) -> None:
        super().__init__()
        self.alive = 0
        self.peak = 0
        self._held: dict[int, tuple[str, int]] = {}
        self._count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and take note of the memory it creates."""
        kwargs = kwargs or {}
        given = {id(tensor.untyped_storage()) for tensor in _tensors((args, kwargs))}
        made = func(*args, **kwargs)
        for index, tensor in enumerate(_tensors(made)):
            storage = tensor.untyped_storage()
            if self._counts(tensor) and id(storage) not in given:
                self._note(self._name(func, index if isinstance(made, tuple) else None), storage)
        return made

    def by_operation(self) -> dict[str, int]:
        """Return the bytes that are alive now, by the operation that created them."""
        return sums_by_name(self._held.values())

    def _counts(self, tensor: torch.Tensor) -> bool:
        return True

    def _name(self, func: Any, index: int | None) -> str:
        """Return what the memory of a result is listed under; the index is that of one result of several."""
        return str(func.overloadpacket.__name__)

    def _note(self, operation: str, storage: torch.UntypedStorage) -> None:
        self._count += 1
        self._held[self._count] = (operation, storage.nbytes())
        self.alive += storage.nbytes()
        self.peak = max(self.peak, self.alive)
        weakref.finalize(storage, self._forget, self._count).atexit = False

    def _forget(self, number: int) -> None:
        self.alive -= self._held.pop(number)[1]


def sums_by_name(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the sum of the sizes that go by each name."""
    found: dict[str, int] = {}
    for name, size in pairs:
        found[name] = found.get(name, 0) + size
    return found


def _tensors(nest: Any) -> Iterator[torch.Tensor]:
    return (leaf for leaf in tree_leaves(nest) if isinstance(leaf, torch.Tensor))

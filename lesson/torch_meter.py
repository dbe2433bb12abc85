"""Measure what PyTorch keeps alive: the bytes of every storage that an operation creates."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
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
    alive, peak : int
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
        given = {id(storage) for storage in _storages((args, kwargs))}
        made = func(*args, **kwargs)
        for storage in _storages(made):
            if id(storage) not in given:
                self._note(func.overloadpacket.__name__, storage)
        return made

    def by_operation(self) -> dict[str, int]:
        """Return the bytes that are alive now, by the operation that created them."""
        found: dict[str, int] = {}
        for operation, size in self._held.values():
            found[operation] = found.get(operation, 0) + size
        return found

    def _note(self, operation: str, storage: torch.UntypedStorage) -> None:
        self._count += 1
        self._held[self._count] = (operation, storage.nbytes())
        self.alive += storage.nbytes()
        self.peak = max(self.peak, self.alive)
        weakref.finalize(storage, self._forget, self._count).atexit = False

    def _forget(self, number: int) -> None:
        self.alive -= self._held.pop(number)[1]


def _storages(nest: Any) -> Iterator[torch.UntypedStorage]:
    for leaf in tree_leaves(nest):
        if isinstance(leaf, torch.Tensor):
            yield leaf.untyped_storage()

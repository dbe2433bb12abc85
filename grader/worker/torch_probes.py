"""Probes for the exercise in PyTorch; like those of `probes`, in a module of their own because they import torch.

Imported ahead in the process that the sealed children are forked from, where nothing of a student's has run.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import flop_registry

from grader.worker.loading import Loader
from grader.worker.workbench import quick_collections
from lesson.decoder import BlockSizes, decoder
from lesson.torch_meter import MemoryMeter

RunBlocks = Callable[..., Tensor]


def run_of_blocks(student: Loader, function: str, **case: Any) -> dict[str, Any]:
    """Run a decoder forward and backward by the student's function; see `plain_run_of_blocks`."""
    run_blocks = student.function(function)
    mode, segment_size = case.pop("mode"), case.pop("segment_size")
    return _run(lambda blocks, x: run_blocks(blocks, x, mode, segment_size), **case)


def plain_run_of_blocks(student: Loader, **case: Any) -> dict[str, Any]:
    """Run a decoder forward and backward, block after block.

    Parameters
    ----------
    x, grad_output
        The input, of shape (batch, seq, hidden).
    layers, heads, dropout, seed
        Fields of the decoder; the seed is that of its weights and of the dropout.
    frozen
        How many of the first blocks are frozen.
    x_needs_gradient
        Whether x does.

    Returns
    -------
    dict
        `output`; `grad_x`, None unless x needs a gradient; `gradients`: for each block those of its parameters, None
        where there is none; `kept`: bytes alive after the forward besides x, the parameters and the output; `peak`: the
        most bytes at once, besides x and the parameters; `work`: floating-point operations of forward and backward;
        `changed`: "blocks" and "x", if the call has changed them.
    """
    del student
    return _run(_one_after_the_other, **case)


def _one_after_the_other(blocks: nn.ModuleList, x: Tensor) -> Tensor:
    for block in blocks:
        x = block(x)
    return x


def _run(run: Callable[[nn.ModuleList, Tensor], Any], **case: Any) -> dict[str, Any]:
    blocks = _blocks(**case)
    x = torch.from_numpy(case["x"]).requires_grad_(case["x_needs_gradient"])
    before = _state(blocks, x)
    torch.manual_seed(case["seed"])
    counter, meter = _WorkCounter(), MemoryMeter()
    with quick_collections(), counter, meter:
        output = run(blocks, x)
        if not isinstance(output, Tensor):
            return {**_NOTHING, "output": output}
        changed = [name for name, state in _state(blocks, x).items() if state != before[name]]
        gc.collect()
        kept = meter.alive - output.untyped_storage().nbytes()
        torch.rand(3)  # others use random numbers too between a forward and its backward
        if output.requires_grad:
            output.backward(torch.from_numpy(case["grad_output"]))
    return {
        "output": output.detach().numpy(),
        "grad_x": _array(x.grad),
        "gradients": [{name: _array(each.grad) for name, each in block.named_parameters()} for block in blocks],
        "kept": kept,
        "peak": meter.peak,
        "work": counter.work,
        "changed": changed,
    }


_NOTHING: dict[str, Any] = {
    "output": None,
    "grad_x": None,
    "gradients": [],
    "kept": 0,
    "peak": 0,
    "work": 0,
    "changed": [],
}


def _state(blocks: nn.ModuleList, x: Tensor) -> dict[str, object]:
    """Return what a forward has no business to change."""
    modules = [(id(module), module.training) for module in blocks.modules()]
    needs = [(id(parameter), parameter.requires_grad) for parameter in blocks.parameters()]
    return {"blocks": (modules, needs), "x": (x.requires_grad, x._version)}


class _WorkCounter(TorchDispatchMode):
    """Count floating-point operations of matrix products, by PyTorch's own formulas.

    PyTorch's `FlopCounterMode` also asks which module they belong to, and forbids answers that call
    `torch.autograd.grad` in a backward of their own.
    """

    def __init__(self) -> None:
        super().__init__()
        self.work = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        if func.overloadpacket in flop_registry:
            self.work += flop_registry[func.overloadpacket](*args, **(kwargs or {}), out_val=made)
        return made


def _blocks(
    x: np.ndarray, layers: int, heads: int, dropout: float, seed: int, frozen: int, **_others: Any
) -> nn.ModuleList:
    sizes = BlockSizes(hidden=x.shape[-1], heads=heads, dropout=dropout)
    blocks = decoder(layers, sizes, seed=seed, dtype=torch.float64)
    for block in blocks[:frozen]:
        block.requires_grad_(False)
    return blocks


def _array(tensor: Tensor | None) -> np.ndarray | None:
    return None if tensor is None else tensor.detach().numpy()


def offloaded_run_of_blocks(student: Loader, function: str, **case: Any) -> dict[str, Any]:
    """Run a decoder, by the student's function in mode "offload", on a device that only claims to be one.

    Returns
    -------
    dict
        `output`, `grad_x` and `gradients` as `plain_run_of_blocks`; `kept`: the same on that device alone.
    """
    run_blocks = student.function(function)
    blocks = _blocks(**case)
    device = _Device()
    x = device.tensor(torch.from_numpy(case["x"])).requires_grad_(case["x_needs_gradient"])
    for module in blocks.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                there = device.tensor(parameter.detach())
                module._parameters[name] = nn.Parameter(there, requires_grad=parameter.requires_grad)
    before = device.alive
    torch.manual_seed(case["seed"])
    with quick_collections(), device:
        output = run_blocks(blocks, x, case["mode"], case["segment_size"])
        if not isinstance(output, _DeviceTensor):
            return _NOTHING
        gc.collect()
        kept = device.alive - before - output.held.untyped_storage().nbytes()
        if output.requires_grad:
            output.backward(device.tensor(torch.from_numpy(case["grad_output"])))
    return {
        "output": output.held.detach().numpy(),
        "grad_x": _held(x.grad),
        "gradients": [{name: _held(each.grad) for name, each in block.named_parameters()} for block in blocks],
        "kept": kept,
    }


def _held(tensor: Tensor | None) -> np.ndarray | None:
    return tensor.held.detach().numpy() if isinstance(tensor, _DeviceTensor) else None


class _Device(TorchDispatchMode):
    """Memory that claims to be a device's, so that what moves to the host can be told from what stays.

    PyTorch's device "meta" lends its name; the values lie in ordinary tensors.
    """

    name = "meta"

    def __init__(self) -> None:
        super().__init__()
        self.alive = 0
        self._held: dict[int, int] = {}

    def tensor(self, values: Tensor) -> _DeviceTensor:
        """Return a tensor of this device."""
        storage = values.untyped_storage()
        if id(storage) not in self._held:
            self._held[id(storage)] = storage.nbytes()
            self.alive += storage.nbytes()
            weakref.finalize(storage, self._forget, id(storage)).atexit = False
        return _DeviceTensor(values, self)

    def _forget(self, number: int) -> None:
        self.alive -= self._held.pop(number)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Create on this device what is asked for there; leave everything else to the tensors themselves."""
        if _names_device(kwargs):
            return _on_device(self, func, args, kwargs)
        return func(*args, **(kwargs or {}))


class _DeviceTensor(Tensor):
    """A tensor of a `_Device`; `held` has its values."""

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor, device: _Device) -> _DeviceTensor:
        made: _DeviceTensor = Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=_Device.name,
        )
        return made

    def __init__(self, held: Tensor, device: _Device) -> None:
        self.held = held
        self.its_device = device

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Refuse, as tensors of other devices do."""
        raise TypeError("this tensor is not on the host; copy it there with .cpu() first, and back with .to(device)")

    def __repr__(self) -> str:
        return f"tensor of shape {tuple(self.shape)} on a pretend device"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        device = next(leaf.its_device for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, _DeviceTensor))
        target = (kwargs or {}).get("device")
        if target is not None and torch.device(target).type != _Device.name:
            args, kwargs = tree_map_only(_DeviceTensor, lambda tensor: tensor.held, (args, kwargs))
            return func(*args, **kwargs)  # a copy on the host
        return _on_device(device, func, args, kwargs)


def _names_device(kwargs: Any) -> bool:
    named = (kwargs or {}).get("device")
    return named is not None and torch.device(named).type == _Device.name


def _on_device(device: _Device, func: Any, args: Any, kwargs: Any) -> Any:
    """Carry out an operation on values whose result lies on the device, or on the host if it is written there."""
    kwargs = dict(kwargs or {})
    written = args[0] if func is torch.ops.aten.copy_.default else None
    if _names_device(kwargs):
        kwargs["device"] = "cpu"
    elif written is None and any(map(_is_on_the_host, tree_leaves((args, kwargs)))):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but some are on the host: what is unpacked has to come "
            "back to the device that it came from, and neither x nor the output move."
        )
    args, kwargs = tree_map_only(_DeviceTensor, lambda tensor: tensor.held, (args, kwargs))
    made = func(*args, **kwargs)
    if written is not None:
        return written
    return tree_map_only(Tensor, lambda tensor: _as_before(tensor, device), made)


def _is_on_the_host(leaf: Any) -> bool:
    # As elsewhere, a single number may come from anywhere.
    return isinstance(leaf, Tensor) and not isinstance(leaf, _DeviceTensor) and leaf.ndim > 0


def _as_before(tensor: Tensor, device: _Device) -> Tensor:
    return tensor if isinstance(tensor, _DeviceTensor) else device.tensor(tensor)


# Let PyTorch import what it imports when a checkpoint is first used. No backward: that would start its engine, and a
# process in which it runs cannot be forked where there is a GPU.
checkpoint(torch.sin, torch.zeros(1, requires_grad=True), use_reentrant=False)

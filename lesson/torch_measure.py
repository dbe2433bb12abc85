"""Measure what each way of keeping activations costs in PyTorch."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode

from lesson.decoder import decoder
from lesson.torch_forecast import Memory, Shape, Way, predict_flops, predict_memory
from lesson.torch_meter import MemoryMeter, sums_by_name

SEED = 5
RunBlocks = Callable[..., Tensor]
"""`run_blocks(blocks, x, mode, segment_size)`, which returns the output of the last block."""


@dataclass(frozen=True)
class Times:
    """Seconds of a step: median and quartiles of `repeats` steps."""

    median: float
    lower_quartile: float
    upper_quartile: float
    repeats: int


@dataclass(frozen=True)
class Compared:
    """A number as the formula has it, and as it was measured."""

    predicted: int
    measured: int


@dataclass(frozen=True, kw_only=True)
class Row:
    """What was found out about one way with one type.

    Attributes
    ----------
    mode, segment_size
        `segment_size` is None where the mode is not "full".
    kept_bytes, peak_bytes
        As in `Memory`, on the device.
    host_bytes
        The same for the host; None where nothing is offloaded.
    memory_from
        "device", or "fake tensors" where the device and the host are the same memory, so that nothing can be moved
        from one to the other: then the same code ran on tensors without contents whose device is not the host.
    flops
        Floating-point operations of one step.
    loss_equal, gradients_equal
        Whether they are those of mode "none" to the last bit.
    largest_gradient_difference
        Between any two values.
    """

    dtype: str
    mode: str
    segment_size: int | None
    kept_bytes: Compared
    peak_bytes: Compared
    host_bytes: Compared | None
    memory_from: str
    flops: Compared
    seconds: Times
    loss_equal: bool
    gradients_equal: bool
    largest_gradient_difference: float


class DeviceMeter(MemoryMeter):
    """A `MemoryMeter` of one kind of device, which knows in which part of a block memory came into being.

    Attributes
    ----------
    parts
        Names of the modules that are running, the innermost last (see `naming_parts`). `by_operation` names memory
        "part/operation", "part/operation[1]" if it is the second result of several. The part is "backward" where no
        module is running.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device = device
        self.parts: list[str] = []
        self._log: list[tuple[int, str, int]] = []  # what came, and what went (then without a name)
        self._log_at_peak = 0

    def at_peak(self) -> dict[str, int]:
        """Return the bytes that were alive at the peak, like `by_operation`."""
        alive: dict[int, tuple[str, int]] = {}
        for number, name, size in self._log[: self._log_at_peak]:
            if name:
                alive[number] = (name, size)
            else:
                del alive[number]
        return sums_by_name(alive.values())

    def _counts(self, tensor: Tensor) -> bool:
        return bool(tensor.device.type == self.device)

    def _name(self, func: Any, index: int | None) -> str:
        name = f"{self.parts[-1] if self.parts else 'backward'}/{func.overloadpacket.__name__}"
        return name if index is None else f"{name}[{index}]"

    def _note(self, operation: str, storage: torch.UntypedStorage) -> None:
        before = self.peak
        super()._note(operation, storage)
        self._log.append((self._count, operation, storage.nbytes()))
        if self.peak > before:
            self._log_at_peak = len(self._log)

    def _forget(self, number: int) -> None:
        super()._forget(number)
        self._log.append((number, "", 0))


@contextmanager
def naming_parts(blocks: nn.ModuleList, meter: DeviceMeter) -> Iterator[None]:
    """Tell the meter which module of a block is running."""
    handles = []
    for block in blocks:
        for name, module in block.named_modules():

            def enter(_module: nn.Module, _args: Any, name: str = name) -> None:
                meter.parts.append(name or "block")

            def leave(_module: nn.Module, _args: Any, _out: Any) -> None:
                meter.parts.pop()

            handles.append(module.register_forward_pre_hook(enter))
            handles.append(module.register_forward_hook(leave, always_call=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@dataclass
class Bench:
    """A decoder with an input, whose gradients have their memory already, as in the second of two microbatches.

    So a gradient of a parameter is in flight only until it has been added, and never in what is measured as kept.

    Attributes
    ----------
    blocks
    x, grad : Tensor of shape (batch, seq, hidden)
        The input, which needs a gradient like the output of an embedding, and the gradient of the last output.
    """

    blocks: nn.ModuleList
    x: Tensor
    grad: Tensor

    @classmethod
    def of(cls, shape: Shape, device: torch.device | str) -> Bench:
        """Make one, always with the same numbers."""
        dtype = shape.torch_dtype
        blocks = decoder(shape.layers, shape.sizes, seed=SEED, device=device, dtype=dtype).train()
        torch.manual_seed(SEED)
        size = (shape.batch, shape.seq, shape.sizes.hidden)
        x, grad = (torch.randn(size, dtype=torch.float32).to(device, dtype) for _ in range(2))
        bench = cls(blocks, x.requires_grad_(), grad)
        for tensor in bench.trained():
            tensor.grad = torch.zeros_like(tensor)
        return bench

    def trained(self) -> list[Tensor]:
        """Return the input and all parameters."""
        return [self.x, *self.blocks.parameters()]

    def forward(self, run_blocks: RunBlocks, way: Way) -> Tensor:
        """Return the output; dropout draws the same numbers every time."""
        torch.manual_seed(SEED)
        return run_blocks(self.blocks, self.x, way.mode, way.segment_size)

    def step(self, run_blocks: RunBlocks, way: Way) -> Tensor:
        """Run forward and backward and return the output."""
        output = self.forward(run_blocks, way)
        output.backward(self.grad)
        return output.detach()

    def clear(self) -> None:
        """Set the gradients to 0."""
        with torch.no_grad():
            for tensor in self.trained():
                if tensor.grad is not None:
                    tensor.grad.zero_()


@dataclass(frozen=True)
class Held:
    """What a step held: in all, and by part and operation after the forward (with the last output) and at the peak."""

    memory: Memory
    kept: dict[str, int]
    at_peak: dict[str, int]


def measure_memory(run_blocks: RunBlocks, bench: Bench, way: Way, host_device: str = "cpu") -> Held:
    """Return what a step holds by `DeviceMeter`, which does not see what an operation frees within itself."""
    device = bench.x.device.type
    meter, host = DeviceMeter(device), DeviceMeter(host_device)
    # Where the device is the host there is nothing else to be counted.
    with host if device != host_device else nullcontext(), meter, naming_parts(bench.blocks, meter):
        output = bench.forward(run_blocks, way)
        kept = meter.alive - output.nbytes + (0 if way.mode == "offload" else bench.x.nbytes)
        items, on_host = meter.by_operation(), host.alive
        output.backward(bench.grad)
    return Held(Memory(kept, on_host, meter.peak), items, meter.at_peak())


def measure_apart(run_blocks: RunBlocks, shape: Shape, way: Way) -> Memory:
    """Return what a step would hold on a device that is not the host, by tensors without contents ("meta")."""
    with FakeTensorMode():
        return measure_memory(run_blocks, Bench.of(shape, "meta"), way).memory


def measure_cuda_peak(run_blocks: RunBlocks, bench: Bench, way: Way) -> int:
    """Return the most bytes that CUDA's allocator has given out during a step, less those before it."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    bench.step(run_blocks, way)
    torch.cuda.synchronize()
    return int(torch.cuda.max_memory_allocated() - before)


def measure_flops(run_blocks: RunBlocks, bench: Bench, way: Way) -> int:
    """Return the FLOPs of a step; PyTorch's counter knows none for the fused attention of a CPU."""
    with FlopCounterMode(display=False) as counter:
        bench.step(run_blocks, way)
    return int(counter.get_total_flops())


def time_step(run_blocks: RunBlocks, bench: Bench, way: Way) -> float:
    """Return the seconds of one step, forward and backward."""
    wait = torch.cuda.synchronize if bench.x.is_cuda else lambda: None
    bench.clear()
    wait()
    start = time.perf_counter()
    bench.step(run_blocks, way)
    wait()
    return time.perf_counter() - start


def compare_gradients(run_blocks: RunBlocks, bench: Bench, ways: Sequence[Way]) -> list[tuple[bool, bool, float]]:
    """Return for each way whether loss and gradients are those of mode "none", and their largest difference.

    The loss is the sum of the output times `bench.grad`, so that this is the output's gradient.
    """

    def run(way: Way) -> tuple[float, list[Tensor]]:
        bench.clear()
        loss = (bench.step(run_blocks, way).double() * bench.grad.double()).sum().item()
        return loss, [tensor.grad.clone() for tensor in bench.trained() if tensor.grad is not None]

    loss, gradients = run(Way("none"))
    found = []
    for way in ways:
        other_loss, others = run(way)
        pairs = list(zip(gradients, others, strict=True))
        largest = max(float((one.double() - other.double()).abs().max()) for one, other in pairs)
        found.append((other_loss == loss, all(torch.equal(*pair) for pair in pairs), largest))
    return found


def measure_all(
    run_blocks: RunBlocks,
    shape: Shape,
    ways: Sequence[Way],
    device: torch.device,
    repeats: int,
    advance: Callable[[], None],
) -> list[Row]:
    """Return a row for each way; the modes take turns when they are timed.

    Parameters
    ----------
    repeats
        Timed steps of each way.
    advance
        Called 1 + (2 + repeats) · ways times, whenever something is done.
    """
    bench = Bench.of(shape, device)
    equal = compare_gradients(run_blocks, bench, ways)
    advance()
    memories, flops = [], []
    for way in ways:
        memories.append(_memory_on(run_blocks, bench, shape, way))
        flops.append(measure_flops(run_blocks, bench, way))
        advance()
    times = _time_in_turns(run_blocks, bench, ways, repeats, advance)
    return [_row(shape, *found) for found in zip(ways, memories, flops, times, equal, strict=True)]


def _memory_on(run_blocks: RunBlocks, bench: Bench, shape: Shape, way: Way) -> tuple[Memory, str]:
    if way.mode == "offload" and bench.x.device.type == "cpu":
        return measure_apart(run_blocks, shape, way), "fake tensors"
    memory = measure_memory(run_blocks, bench, way).memory
    if bench.x.is_cuda:
        memory = dataclasses.replace(memory, peak=measure_cuda_peak(run_blocks, bench, way))
    return memory, "device"


def _time_in_turns(
    run_blocks: RunBlocks, bench: Bench, ways: Sequence[Way], repeats: int, advance: Callable[[], None]
) -> list[Times]:
    """Time all ways in turns, so that a disturbance hits all of them; the first turn warms up and does not count."""
    seconds: dict[Way, list[float]] = {way: [] for way in ways}
    for turn in range(1 + repeats):
        first = turn % len(ways)  # Each turn begins with another one.
        for way in (*ways[first:], *ways[:first]):
            found = time_step(run_blocks, bench, way)
            if turn:
                seconds[way].append(found)
            advance()
    quartiles = [[float(np.quantile(found, share)) for share in (0.25, 0.5, 0.75)] for found in seconds.values()]
    return [Times(median, lower, upper, repeats) for lower, median, upper in quartiles]


def _row(
    shape: Shape, way: Way, memory: tuple[Memory, str], flops: int, seconds: Times, equal: tuple[bool, bool, float]
) -> Row:
    found, source = memory
    predicted = predict_memory(shape, way)
    loss_equal, gradients_equal, largest_gradient_difference = equal
    return Row(
        dtype=shape.dtype,
        mode=way.mode,
        segment_size=way.segment_size if way.mode == "full" else None,
        kept_bytes=Compared(predicted.kept, found.kept),
        peak_bytes=Compared(predicted.peak, found.peak),
        host_bytes=Compared(predicted.host, found.host) if way.mode == "offload" else None,
        memory_from=source,
        flops=Compared(predict_flops(shape, way), flops),
        seconds=seconds,
        loss_equal=loss_equal,
        gradients_equal=gradients_equal,
        largest_gradient_difference=largest_gradient_difference,
    )

"""The meters count memory once, for as long as it lives, and nothing that was there before."""
# ruff: noqa: E402

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode

from lesson.decoder import BlockSizes
from lesson.torch_forecast import Shape
from lesson.torch_measure import Bench, DeviceMeter, naming_parts
from lesson.torch_meter import MemoryMeter

KIB = 1024


@pytest.fixture(params=[MemoryMeter, lambda: DeviceMeter("cpu")], ids=["MemoryMeter", "DeviceMeter"])
def meter(request):
    return request.param()


def test_memory_counts_from_birth_to_death(meter) -> None:
    with meter:
        one = torch.zeros(256)
        two = one + 1
        assert meter.alive == 2 * KIB
        del one
        assert meter.alive == KIB
        del two
    assert (meter.alive, meter.peak) == (0, 2 * KIB)


def test_views_and_changes_in_place_take_no_memory(meter) -> None:
    with meter:
        one = torch.zeros(256)
        views = [one.view(16, 16), one[:10], one.add_(1), one.view(16, 16).t()]
    assert meter.peak == meter.alive == KIB
    del one
    assert meter.alive == KIB, "a view keeps it alive"
    del views
    assert meter.alive == 0


def test_what_was_there_before_is_left_out(meter) -> None:
    before = torch.zeros(1000)
    with meter:
        before.mul_(2)
        view = before[:500]
        more = view + 1
    assert meter.alive == more.nbytes


def test_several_results_all_count(meter) -> None:
    with meter:
        values, places = torch.sort(torch.zeros(256))
    assert meter.alive == values.nbytes + places.nbytes == 3 * KIB


def test_what_autograd_keeps_counts_until_it_is_freed(meter) -> None:
    x = torch.zeros(256, requires_grad=True)
    with meter:
        y = x.exp().sin()
        assert meter.alive == 2 * KIB
        y.backward(torch.zeros(256))
        del y
    assert meter.alive == x.grad.nbytes


def test_fake_tensors_count_with_what_they_would_take(meter) -> None:
    with FakeTensorMode(), meter:
        huge = torch.empty(2**40, dtype=torch.bfloat16)
        assert meter.alive == 2**41
        assert huge.shape == (2**40,)


def test_memory_is_told_by_operation() -> None:
    with MemoryMeter() as meter:
        kept = [torch.zeros(256), torch.ones(256), torch.ones(256)]
    assert meter.by_operation() == {"zeros": KIB, "ones": 2 * KIB}
    assert len(kept) == 3


def test_one_device_at_a_time() -> None:
    with FakeTensorMode(), DeviceMeter("cpu") as host, DeviceMeter("meta") as device:
        there = torch.zeros(256, device="meta")
        here = there.to("cpu")
        assert (host.alive, device.alive) == (KIB, KIB)
        del there
        assert (host.alive, device.alive) == (KIB, 0)
        assert here.to("meta").nbytes == device.alive or device.peak == KIB


def test_the_parts_of_a_block_are_named_and_the_peak_is_remembered() -> None:
    with FakeTensorMode():
        bench = Bench.of(Shape(1, BlockSizes(16, 2), seq=4, batch=1, dtype="float32"), "cpu")
        meter = DeviceMeter("cpu")
        with meter, naming_parts(bench.blocks, meter):
            output = bench.blocks[0](bench.x)
            kept = meter.by_operation()
            output.backward(bench.grad)
    size = 4 * 4 * 16
    assert kept["query/addmm"] == kept["block/clone"] == kept["attention_norm/native_layer_norm[0]"] == size
    assert kept["core.dropout/native_dropout[1]"] == 2 * 4 * 4
    assert sum(meter.at_peak().values()) == meter.peak
    assert any(name.startswith("backward/") for name in meter.at_peak())
    assert meter.parts == []
    assert not any(module._forward_hooks for module in bench.blocks.modules())

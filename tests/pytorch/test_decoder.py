"""The given decoder is a plain decoder, and keeps what the formula says."""
# ruff: noqa: E402

from __future__ import annotations

import math
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional

from lesson.decoder import BlockSizes, Dropout, RMSNorm, decoder
from lesson.torch_forecast import Shape, Way, kept_items, predict_memory
from lesson.torch_measure import Bench, measure_memory
from solutions.torch_benchmark import run_blocks

GPT = BlockSizes(24, 4, dropout=0.0)
LLAMA = BlockSizes(24, 4, kv_heads=2, ffn=40, gated=True, dropout=0.0)
KINDS = {"gpt": GPT, "llama": LLAMA, "one key head": replace(LLAMA, kv_heads=1), "wide": replace(GPT, ffn=30)}


def reference(block, sizes: BlockSizes, x):
    """A block as a textbook has it: one head after the other."""
    head = sizes.hidden // sizes.heads
    group = sizes.heads // (sizes.kv_heads or sizes.heads)

    def norm(module, x):
        if not sizes.gated:
            return functional.layer_norm(x, x.shape[-1:], module.weight, module.bias)
        return functional.rms_norm(x, x.shape[-1:], module.weight, 1e-6)

    y = norm(block.attention_norm, x)
    q, k, v = block.query(y), block.key(y), block.value(y)
    heads = []
    for index in range(sizes.heads):
        mine = slice(index * head, (index + 1) * head)
        shared = slice(index // group * head, (index // group + 1) * head)
        scores = q[..., mine] @ k[..., shared].transpose(1, 2) / math.sqrt(head)
        visible = torch.tril(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool))
        heads.append(torch.where(visible, scores, -torch.inf).softmax(-1) @ v[..., shared])
    x = x + block.projection(torch.cat(heads, dim=-1))
    y = norm(block.ffn_norm, x)
    if sizes.gated:
        gate = block.gate(y)
        return x + block.down(gate * torch.sigmoid(gate) * block.up(y))
    wide = block.up(y)
    return x + block.down(wide * 0.5 * (1 + torch.erf(wide / math.sqrt(2))))


def gradients(output, block, x):
    grad = torch.linspace(-1, 1, output.numel()).reshape(output.shape)
    return torch.autograd.grad(output, [x, *block.parameters()], grad)


def an_input(batch=2, seq=7, hidden=24):
    return torch.randn(batch, seq, hidden, generator=torch.Generator().manual_seed(1)).requires_grad_()


@pytest.mark.parametrize("fused", [False, True], ids=["explicit", "fused"])
@pytest.mark.parametrize("sizes", KINDS.values(), ids=KINDS)
def test_a_block_is_that_of_a_textbook(sizes: BlockSizes, fused: bool) -> None:
    (block,) = decoder(1, replace(sizes, fused=fused))
    with torch.no_grad():
        for parameter in block.parameters():  # norms begin with ones, which hide mistakes
            parameter.add_(0.1 * torch.sin(torch.arange(parameter.numel())).reshape(parameter.shape))
    x = an_input()
    ours, theirs = block(x), reference(block, sizes, x)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    for one, other in zip(gradients(ours, block, x), gradients(theirs, block, x), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_no_token_sees_the_future() -> None:
    (block,) = decoder(1, GPT)
    x = an_input()
    changed = x.detach().clone()
    changed[:, 4:] = 0
    torch.testing.assert_close(block(x)[:, :4], block(changed)[:, :4])


def test_the_core_can_be_replaced() -> None:
    (block,) = decoder(1, LLAMA)
    x = an_input()
    seen = []

    def core(q, k, v):
        seen.append((q.shape, k.shape, v.shape))
        return block.core(q, k, v)

    assert torch.equal(block(x, core=core), block(x))
    assert seen == [((2, 4, 7, 6), (2, 2, 7, 6), (2, 2, 7, 6))]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_norm_is_that_of_pytorch(dtype: str) -> None:
    kind = getattr(torch, dtype)
    ours, theirs = RMSNorm(24).to(kind), torch.nn.RMSNorm(24, eps=1e-6, dtype=kind)
    weight = torch.linspace(0.5, 2, 24).to(kind)
    x = an_input().detach().to(kind).requires_grad_()
    grad = torch.linspace(-1, 1, x.numel()).reshape(x.shape).to(kind)
    with torch.no_grad():
        ours.weight.copy_(weight)
        theirs.weight.copy_(weight)
    pairs = [[module(x), *torch.autograd.grad(module(x), [x, module.weight], grad)] for module in (ours, theirs)]
    for one, other in zip(*pairs, strict=True):
        torch.testing.assert_close(one, other, **({} if dtype == "float32" else {"rtol": 0.02, "atol": 0.02}))


def test_weights_depend_on_the_seed_alone() -> None:
    torch.manual_seed(1)
    one = decoder(2, GPT, seed=3)
    after = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(after, torch.rand(1)), "the caller's random numbers go on as before"
    torch.manual_seed(2)
    same, other = decoder(2, GPT, seed=3), decoder(2, GPT, seed=4)
    pairs = list(zip(one.parameters(), same.parameters(), strict=True))
    assert all(torch.equal(*pair) for pair in pairs)
    assert not torch.equal(one[0].query.weight, other[0].query.weight)
    assert not torch.equal(one[0].query.weight, one[1].query.weight)


def test_weights_have_the_type_that_was_asked_for() -> None:
    before = torch.get_default_dtype()
    assert {p.dtype for p in decoder(1, LLAMA, dtype=torch.bfloat16).parameters()} == {torch.bfloat16}
    assert torch.get_default_dtype() == before


def test_dropout_drops_in_training_only_and_its_mask_takes_one_byte() -> None:
    dropout, x = Dropout(0.25), torch.ones(100_000)
    assert dropout.eval()(x) is x
    torch.manual_seed(0)
    found = dropout.train()(x)
    assert abs(float((found == 0).float().mean()) - 0.25) < 0.01
    assert abs(float(found.mean()) - 1) < 0.02


shapes = st.builds(
    lambda layers, heads, group, head, ffn, gated, dropout, seq, batch, dtype: Shape(
        layers,
        BlockSizes(heads * group * head, heads * group, kv_heads=heads, ffn=ffn, gated=gated, dropout=dropout),
        seq,
        batch,
        dtype,
    ),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 8),
    st.none() | st.integers(1, 64),
    st.booleans(),
    st.sampled_from([0.0, 0.1]),
    st.integers(1, 40),
    st.integers(1, 3),
    st.sampled_from(["float32", "bfloat16", "float64"]),
)


def kept(shape: Shape, mode: str) -> int:
    with FakeTensorMode():
        return measure_memory(run_blocks, Bench.of(shape, "cpu"), Way(mode)).memory.kept


@settings(deadline=None, max_examples=25)
@given(shapes)
def test_a_layer_keeps_what_the_formula_says(shape: Shape) -> None:
    # Not in the formula: up to two numbers a token and norm, and the causal mask.
    statistics = 4 * max(4, shape.value) * shape.seq * shape.batch
    beyond = kept(shape, "none") - shape.layers * sum(kept_items(shape).values())
    assert 0 <= beyond <= shape.layers * (statistics + shape.seq**2)
    assert 0 <= kept(shape, "selective") - predict_memory(shape, Way("selective")).kept <= shape.layers * statistics
    assert kept(shape, "full") == shape.layers * shape.stream


def test_the_formula_is_the_one_of_the_paper() -> None:
    for hidden, heads, seq, batch in [(12288, 96, 2048, 1), (256, 8, 256, 4), (64, 2, 100, 3)]:
        shape = Shape(1, BlockSizes(hidden, heads), seq, batch, "bfloat16")
        sbh = seq * batch * hidden
        assert sum(kept_items(shape).values()) == 34 * sbh + 5 * heads * seq**2 * batch

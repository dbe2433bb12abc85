"""A small pre-norm decoder in PyTorch, given to students for exercise 5.

Its attention core, which is scores, softmax and weighted sum, is a module of its own, so that it can be wrapped
without the rest. A block keeps for the backward what Korthikanti et al. 2022 (arXiv 2205.05198), section 4.1, count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

Core = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class BlockSizes:
    """The sizes of a block.

    Attributes
    ----------
    hidden, heads
        Width of the model, and number of query heads; heads divides hidden.
    kv_heads
        Key and value heads, by default as many as `heads`.
    ffn
        Inner width of the feed-forward network, by default 4·hidden.
    gated
        Whether the block is one of Llama's (RMSNorm, SwiGLU, no biases) instead of GPT's (LayerNorm, GELU).
    dropout
        Probability; 0 leaves dropout out.
    fused
        Whether attention runs in `scaled_dot_product_attention` instead of one operation after another.
    """

    hidden: int
    heads: int
    kv_heads: int | None = None
    ffn: int | None = None
    gated: bool = False
    dropout: float = 0.1
    fused: bool = False


class Dropout(nn.Module):
    """Dropout whose mask takes one byte per value on every device.

    `torch.nn.Dropout` keeps it in the activation's own type on the CPU.
    """

    def __init__(self, probability: float) -> None:
        super().__init__()
        self.probability = probability

    def forward(self, x: Tensor) -> Tensor:
        """Set values to 0 at random and scale the others up, in training only; x of any shape."""
        if not self.training or self.probability == 0:
            return x
        return torch.native_dropout(x, self.probability, True)[0]


class RMSNorm(nn.Module):
    """RMSNorm that keeps its input and one number per token, as a fused kernel does.

    On the CPU `torch.nn.RMSNorm` is several operations, which keep copies of their own.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x: Tensor) -> Tensor:
        """Scale every token to unit mean square, then by the weights; x is of shape (..., hidden)."""
        normed: Tensor = _RMSNormFunction.apply(x, self.weight)
        return normed


class _RMSNormFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        scale = (x.float().square().mean(dim=-1, keepdim=True) + 1e-6).rsqrt()
        ctx.save_for_backward(x, weight, scale)
        return (x.float() * scale).to(x.dtype) * weight

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        x, weight, scale = ctx.saved_tensors
        normed = x.float() * scale
        inner = (grad * weight).float()
        grad_x = scale * (inner - normed * (inner * normed).mean(dim=-1, keepdim=True))
        grad_weight = (grad.float() * normed).flatten(0, -2).sum(dim=0)
        return grad_x.to(x.dtype), grad_weight.to(weight.dtype)


class AttentionCore(nn.Module):
    """Causal attention between projected heads: scores, softmax, dropout, weighted sum."""

    def __init__(self, sizes: BlockSizes) -> None:
        super().__init__()
        self.fused = sizes.fused
        self.dropout = Dropout(sizes.dropout)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Return the attended values, of the shape of q.

        Parameters
        ----------
        q : Tensor of shape (batch, heads, seq, head_size)
        k, v : Tensor of shape (batch, kv_heads, seq, head_size)
        """
        if self.fused:
            p = self.dropout.probability if self.training else 0.0
            return functional.scaled_dot_product_attention(
                q, k, v, dropout_p=p, is_causal=True, enable_gqa=q.shape != k.shape
            )
        batch, heads, seq, size = q.shape
        # Query heads that share keys stand below each other, so that no key is copied.
        grouped = q.reshape(batch, k.shape[1], -1, size)
        scores = (grouped @ k.transpose(-2, -1)).view(batch, heads, seq, seq)
        future = torch.ones(seq, seq, dtype=torch.bool, device=q.device).triu(1)
        scores = (scores / math.sqrt(size)).masked_fill(future, -math.inf)
        weights = self.dropout(scores.softmax(dim=-1))
        return (weights.view(batch, k.shape[1], -1, seq) @ v).view(batch, heads, seq, size)


class Block(nn.Module):
    """One layer of the decoder: x + attention(norm(x)), then x + feed-forward(norm(x)).

    Attributes
    ----------
    core
        What `forward` calls with q, k and v, unless it is given something else to call.
    """

    def __init__(self, sizes: BlockSizes) -> None:
        super().__init__()
        head = sizes.hidden // sizes.heads
        ffn = sizes.ffn or 4 * sizes.hidden
        norm = RMSNorm if sizes.gated else nn.LayerNorm
        kv_heads = sizes.kv_heads or sizes.heads
        self.head_size = head
        self.attention_norm = norm(sizes.hidden)
        self.query = nn.Linear(sizes.hidden, head * sizes.heads, bias=not sizes.gated)
        self.key = nn.Linear(sizes.hidden, head * kv_heads, bias=not sizes.gated)
        self.value = nn.Linear(sizes.hidden, head * kv_heads, bias=not sizes.gated)
        self.core = AttentionCore(sizes)
        self.projection = nn.Linear(sizes.hidden, sizes.hidden, bias=not sizes.gated)
        self.ffn_norm = norm(sizes.hidden)
        self.gate = nn.Linear(sizes.hidden, ffn, bias=False) if sizes.gated else None
        self.up = nn.Linear(sizes.hidden, ffn, bias=not sizes.gated)
        self.down = nn.Linear(ffn, sizes.hidden, bias=not sizes.gated)
        self.dropout = Dropout(sizes.dropout)

    def forward(self, x: Tensor, core: Core | None = None) -> Tensor:
        """Return the layer's output.

        Parameters
        ----------
        x : Tensor of shape (batch, seq, hidden)
        core
            Called with q, k and v in the place of `self.core`.

        Returns
        -------
        Tensor of the shape of x
        """
        batch, seq, _hidden = x.shape
        y = self.attention_norm(x)
        q, k, v = (
            matrix(y).view(batch, seq, -1, self.head_size).transpose(1, 2)
            for matrix in (self.query, self.key, self.value)
        )
        attended = (core or self.core)(q, k, v).transpose(1, 2).reshape(batch, seq, -1)
        x = x + self.dropout(self.projection(attended))
        y = self.ffn_norm(x)
        wide = functional.gelu(self.up(y)) if self.gate is None else functional.silu(self.gate(y)) * self.up(y)
        return x + self.dropout(self.down(wide))


def decoder(
    layers: int,
    sizes: BlockSizes,
    *,
    seed: int = 0,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> nn.ModuleList:
    """Return the blocks of a decoder, with weights that depend on the seed alone."""
    place = torch.device(device)
    with torch.random.fork_rng(devices=[place] if place.type == "cuda" else []), place:
        torch.manual_seed(seed)
        # Made in the type that they keep: a large model in two types at once would not fit.
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            return nn.ModuleList(Block(sizes) for _ in range(layers))
        finally:
            torch.set_default_dtype(before)

"""A checkpoint written as an autograd function, random numbers restored by hand."""

import torch

_others = run_blocks


class Recomputed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, run, x, *parameters):
        ctx.run, ctx.state = run, torch.get_rng_state()
        ctx.save_for_backward(x)
        ctx.parameters = parameters
        with torch.no_grad():
            return run(x)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        now = torch.get_rng_state()
        torch.set_rng_state(ctx.state)
        with torch.enable_grad():
            x = x.detach().requires_grad_(ctx.needs_input_grad[1])
            y = ctx.run(x)
        torch.set_rng_state(now)
        wanted = [each for each in (x, *ctx.parameters) if each.requires_grad]
        found = iter(torch.autograd.grad(y, wanted, gradient)) if wanted else iter(())
        return None, *(next(found) if each.requires_grad else None for each in (x, *ctx.parameters))


def run_blocks(blocks, x, mode, segment_size=1):
    if mode != "full":
        return _others(blocks, x, mode)
    for start in range(0, len(blocks), segment_size):
        some = blocks[start : start + segment_size]
        x = Recomputed.apply(lambda y, some=some: _others(some, y, "none"), x, *some.parameters())
    return x

"""How a check asks a case whose inputs are not the arguments of its function: for `grader replay`."""

from collections.abc import Mapping, Sequence

# Lines of Python by the function of the case. They find its inputs under their names, and a submission's functions.
SCRIPTS: Mapping[str, Sequence[str]] = {
    "run_blocks": (
        "import torch",
        "from lesson.decoder import BlockSizes, decoder",
        "",
        "sizes = BlockSizes(x.shape[-1], heads, dropout=dropout)",
        "blocks = decoder(layers, sizes, seed=seed, dtype=torch.float64)",
        "for block in blocks[:frozen]:",
        "    block.requires_grad_(False)",
        "x = torch.from_numpy(x).requires_grad_(x_needs_gradient)",
        "torch.manual_seed(seed)",
        "result = run_blocks(blocks, x, mode, segment_size)",
    ),
    "model_backward_checkpointed": (
        "output, saved_inputs = model_forward_checkpointed(x, params, k)",
        "result = model_backward_checkpointed(grad_output, saved_inputs, params, k)",
    ),
}

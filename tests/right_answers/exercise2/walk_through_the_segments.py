"""The backward is walked through segment by segment."""


def _segments(n_layers, size):
    layers = list(range(n_layers))
    while layers:
        yield layers[:size]
        layers = layers[size:]


def segment_memory(n_layers, segment_size, layer_units=17):
    sizes = [len(segment) for segment in _segments(n_layers, segment_size)]
    return sum(1 for _ in sizes[1:]) + max(sizes) * layer_units


def segment_overhead(n_layers, segment_size):
    *others, _last = _segments(n_layers, segment_size)
    return sum(map(len, others)) / n_layers / 3

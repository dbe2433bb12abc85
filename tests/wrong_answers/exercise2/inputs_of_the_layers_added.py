"""Every layer at work gets one more unit for its input."""
# loses: exercise2.memory exercise2.store_all exercise2.sweep
# says: own input


def segment_memory(n_layers, segment_size, layer_units=17):
    return math.ceil(n_layers / segment_size) - 1 + min(segment_size, n_layers) * (layer_units + 1)


def best_segment(n_layers, layer_units=17):
    points = sweep_segments(n_layers, layer_units - 1)
    return max(k for k, memory, _ in points if memory == min(point[1] for point in points))

"""Decimal arithmetic, as an accountant would do it."""

from decimal import ROUND_CEILING, Decimal

MB = Decimal(10) ** 6


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return float(Decimal(n_layers) * 12 * batch * seq * hidden * bytes_per_value / MB)


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = (Decimal(n_layers) / segment_size).to_integral_value(ROUND_CEILING)
    return float((segments + segment_size) * batch * seq * hidden * bytes_per_value / MB)


def optimal_segment(n_layers):
    return int(Decimal(n_layers).sqrt().to_integral_value())

"""An enum, operators and any."""

import enum
import operator


class Kind(enum.Enum):
    ATTENTION = "attention"
    FFN = "ffn"
    OTHER = None

    @classmethod
    def _missing_(cls, value):
        return cls.OTHER


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    kind = Kind(layer_type)
    return any(
        (
            all((kind is Kind.ATTENTION, operator.gt(activation_bytes, 100e6))),
            all((kind is Kind.FFN, operator.gt(activation_bytes, 500e6), operator.lt(recompute_flops_ratio, 0.1))),
        )
    )

"""Which activations are worth recomputing.

Some activations are large and quick to compute again, others are small or expensive. Throwing away only the
first kind saves much of the memory for little time. You begin with a policy that decides by size and by cost,
one layer at a time.
"""


def should_recompute(layer_type: str, activation_bytes: float, recompute_flops_ratio: float) -> bool:
    """Decide whether the activations of a layer are thrown away and recomputed in the backward.

    Attention is worth it above 100 MB. A feed-forward layer is worth it above 500 MB, if computing it again
    costs less than a tenth of the layer's forward. All else is kept, and so is what lies exactly at a limit.

    Parameters
    ----------
    layer_type : str
        "attention", "ffn", or any other name.
    activation_bytes : float
        Size of the activations in bytes; 1 MB is 10^6 bytes.
    recompute_flops_ratio : float
        FLOPs of computing them again, as a fraction of the layer's forward.

    Returns
    -------
    bool

    Notes
    -----
    The idea is that of Korthikanti et al. 2022, arXiv 2205.05198, section 5. The limits are a rule of thumb
    that knows neither your memory nor your patience.
    """
    match layer_type:
        case "attention":
            return activation_bytes > 100e6
        case "ffn":
            return activation_bytes > 500e6 and recompute_flops_ratio < 0.1
        case _:
            return False

"""Right answers with sixty megabytes of ballast each, which the trusted side would have to keep."""
# topic: cost_model
# outcome: step4 full passed, step5 full passed, step6 full passed

import numpy as np

_full, _selective = checkpoint_cost, selective_checkpoint_cost


def checkpoint_cost(*args, **kwargs):
    return {**_full(*args, **kwargs), "ballast": np.zeros(60 * 2**17)}


def selective_checkpoint_cost(*args, **kwargs):
    return {**_selective(*args, **kwargs), "ballast": np.zeros(60 * 2**17)}

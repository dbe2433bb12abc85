"""The zeros that ReLU compares with are float64 and turn everything into float64."""
# loses: step1.dtype
# says: float64


def relu(x):
    return np.maximum(x, np.zeros(x.shape))

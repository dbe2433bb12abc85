"""Functions are objects with __call__."""


class Linear:
    def __call__(self, x, w, b):
        return np.add(np.matmul(x, w), b)


class Relu:
    def __call__(self, x):
        return np.clip(x, 0, None)


class Layer:
    def __init__(self, linear, activation):
        self.linear, self.activation = linear, activation

    def __call__(self, x, w1, b1, w2, b2):
        return self.linear(self.activation(self.linear(x, w1, b1)), w2, b2)


linear_forward = Linear()
relu = Relu()
layer_forward = Layer(linear_forward, relu)

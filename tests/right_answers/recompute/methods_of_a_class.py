"""The functions are methods of a class, exposed under the names that are due."""


class Chain:
    @staticmethod
    def linear(x, w, b):
        return x.dot(w) + b

    @staticmethod
    def activation(x):
        return x * (x > 0)

    @classmethod
    def layer(cls, x, w1, b1, w2, b2):
        return cls.linear(cls.activation(cls.linear(x, w1, b1)), w2, b2)

    def forward(self, x, params):
        activations = [x]
        for layer in params:
            activations.append(self.layer(activations[-1], *layer))
        return activations[-1], activations

    def forward_saving(self, x, params, k=4):
        saved = []
        for i, layer in enumerate(params):
            if not i % k:
                saved.append(x)
            x = self.layer(x, *layer)
        return x, saved


chain = Chain()
linear_forward = Chain.linear
relu = Chain.activation
layer_forward = Chain.layer
model_forward = chain.forward
model_forward_checkpointed = chain.forward_saving

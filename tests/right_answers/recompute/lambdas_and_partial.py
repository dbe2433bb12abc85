"""Lambdas, partial and aliases take the place of def."""

from functools import partial, reduce

affine = lambda x, w, b: x @ w + b
linear_forward = affine
relu = partial(np.maximum, 0)
layer_forward = lambda x, w1, b1, w2, b2: affine(relu(affine(x, w1, b1)), w2, b2)
model_forward = lambda x, params: (lambda a: (a[-1], a))(
    reduce(lambda a, p: a + [layer_forward(a[-1], *p)], params, [x])
)

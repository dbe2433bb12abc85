"""A difference beyond rounding is an AssertionError."""


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    seed = np.full(output.shape, 1, dtype=output.dtype)
    expected = model_backward(seed, activations, params)
    actual = model_backward_checkpointed(seed, model_forward_checkpointed(x, params, k)[1], params, k)
    tolerance = 1e-4 if x.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(actual[0], expected[0], rtol=tolerance, atol=tolerance)
    for layer, (mine, right) in enumerate(zip(actual[1], expected[1])):
        for a, b in zip(mine, right):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=f"layer {layer}")
    return 0.0

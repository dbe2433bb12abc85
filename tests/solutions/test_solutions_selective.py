import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.selective import should_recompute

sizes = st.floats(0, 1e13)
ratios = st.floats(0, 10)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("attention", 100000001.0, 0.9), True),
        (("attention", 100000000.0, 0.0), False),
        (("ffn", 500000001.0, 0.05), True),
        (("ffn", 500000001.0, 0.1), False),
        (("ffn", 500000000.0, 0.0), False),
        (("norm", 1e12, 0.0), False),
        (("attention", 1e12, 5.0), True),
        (("residual", 1e12, 0.01), False),
    ],
)
def test_golden_values_of_should_recompute(args, expected):
    assert should_recompute(*args) is expected


@given(activation_bytes=sizes, ratio=ratios)
@settings(deadline=None)
def test_attention_is_decided_by_its_size_alone(activation_bytes, ratio):
    assert should_recompute("attention", activation_bytes, ratio) is (activation_bytes > 100_000_000)


@given(activation_bytes=sizes, ratio=ratios)
@settings(deadline=None)
def test_a_feed_forward_layer_must_be_large_and_cheap(activation_bytes, ratio):
    assert should_recompute("ffn", activation_bytes, ratio) is (activation_bytes > 500_000_000 and ratio < 0.1)


@given(layer_type=st.sampled_from(["norm", "residual", "embedding", "moe"]), size=sizes, ratio=ratios)
@settings(deadline=None)
def test_every_other_layer_is_kept(layer_type, size, ratio):
    assert should_recompute(layer_type, size, ratio) is False


@pytest.mark.parametrize("layer_type", ["Attention", "attention ", "FFN", "mlp", ""])
def test_names_must_match_exactly(layer_type):
    assert should_recompute(layer_type, 1e12, 0.0) is False

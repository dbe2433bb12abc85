"""Units, and Hugging Face configurations."""

import math

import pytest

from solutions.planner.plan import (
    Hardware,
    LayerKind,
    from_hf_config,
    parse_bandwidth,
    parse_bytes,
    parse_flops,
    plan_model,
)
from solutions.planner.transformer import stage_parameters
from solutions.planner.units import format_gb


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("40GB", 40 * 10**9),
        ("40GiB", 40 * 2**30),
        ("40 GB", 40 * 10**9),
        (" 37.5 GiB ", 37.5 * 2**30),
        ("1e3MB", 10**9),
        (".5kB", 500),
        ("512B", 512),
        ("2TiB", 2**41),
        ("1PB", 10**15),
        ("1.KiB", 1024),
    ],
)
def test_sizes(text, size):
    assert parse_bytes(text) == size


def test_gb_is_not_gib():
    assert parse_bytes("40GB") != parse_bytes("40GiB")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("40", "no unit"),
        ("40e9", "no unit"),
        ("40gb", "did you mean 40?GB|did you mean GB"),
        ("40Gb", "did you mean GB"),
        ("40KB", "did you mean kB"),
        ("40gib", "did you mean GiB"),
        ("40G", "unknown unit"),
        ("40GB/s", "unknown unit"),
        ("forty GB", "not a size"),
        ("", "not a size"),
        ("-4GB", "not a size"),
        ("nan GB", "not a size"),
        ("0GB", "more than zero"),
        ("1e999GB", "finite"),
        (40, "not a size"),
    ],
)
def test_refused_sizes(text, words):
    with pytest.raises(ValueError, match=words):
        parse_bytes(text)


def test_rates():
    assert parse_bandwidth("25GB/s") == 25e9
    assert parse_bandwidth("32 GiB/s") == 32 * 2**30
    assert parse_flops("300TFLOP/s") == parse_flops("300 TFLOPS") == 300e12
    assert parse_flops("1PFLOP/s") == 1e15
    for function, text in [(parse_bandwidth, "25GB"), (parse_flops, "300T"), (parse_flops, "300TFLOPs")]:
        with pytest.raises(ValueError, match="unknown unit"):
            function(text)
    with pytest.raises(ValueError, match="no unit"):
        parse_flops("3e14")


def test_sizes_are_written_in_gb():
    assert [format_gb(size) for size in (123456789, 4e10, 2.5e13)] == ["0.1235 GB", "40 GB", "25000 GB"]


LLAMA3 = {
    "architectures": ["LlamaForCausalLM"],
    "attention_dropout": 0.0,
    "hidden_act": "silu",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "max_position_embeddings": 8192,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
}
GPT2 = {
    "activation_function": "gelu_new",
    "attn_pdrop": 0.1,
    "embd_pdrop": 0.1,
    "model_type": "gpt2",
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_inner": None,
    "n_layer": 12,
    "resid_pdrop": 0.1,
    "vocab_size": 50257,
}
MIXTRAL = {
    **LLAMA3,
    "model_type": "mixtral",
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "vocab_size": 32000,
}


def read(config, **run):
    return from_hf_config(config, seq=2048, batch=2, **run)


def test_llama():
    model = read(LLAMA3, flash_attention=True, tensor_parallel=2)
    assert (model.layers, model.hidden, model.heads, model.kv_heads) == (32, 4096, 32, 8)
    assert (model.ffn, model.ffn_kind, model.vocabulary) == (14336, "gated", 128256)
    assert (model.dropout, model.tied_embeddings, model.tensor_parallel) == (False, False, 2)
    assert stage_parameters(read(LLAMA3), 0) == pytest.approx(8.03e9, rel=1e-3)


def test_gpt2():
    model = read(GPT2)
    assert (model.layers, model.hidden, model.heads, model.kv_heads) == (12, 768, 12, 12)
    assert (model.ffn, model.ffn_kind, model.dropout, model.tied_embeddings) == (3072, "gelu", True, True)
    assert stage_parameters(model, 0) == pytest.approx(124e6, rel=0.01)


def test_mixtral():
    model = read(MIXTRAL)
    assert model.kinds == (LayerKind("expert", 32, 14336, "gated", 8, 2),)
    assert stage_parameters(model, 0) == pytest.approx(46.7e9, rel=2e-3)
    assert plan_model(model, Hardware(50 * 10**9)).overhead > 0


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            {"model_type": "gemma", "hidden_act": "gelu", "head_dim": 256},
            {"ffn_kind": "gated", "head_size": 256},
        ),
        ({"model_type": "gemma2", "hidden_activation": "gelu_pytorch_tanh"}, {"ffn_kind": "gated"}),
        ({"model_type": "starcoder2", "hidden_act": "gelu_pytorch_tanh"}, {"ffn_kind": "gelu"}),
        ({"model_type": "qwen2", "attention_dropout": 0.1}, {"ffn_kind": "gated", "dropout": True}),
        (
            {"model_type": "falcon", "hidden_act": None, "multi_query": True},
            {"ffn_kind": "gelu", "kv_heads": 1},
        ),
        ({"model_type": "gpt_bigcode", "hidden_act": "gelu"}, {"ffn_kind": "gelu", "kv_heads": 1}),
        ({"model_type": "bert", "hidden_act": "gelu", "hidden_dropout_prob": 0.1}, {"dropout": True}),
    ],
)
def test_relatives(config, expected):
    model = read({**LLAMA3, **config})
    assert {key: getattr(model, key) for key in expected} == expected


def test_alternating_and_shared_experts():
    config = {**LLAMA3, "model_type": "qwen2_moe", "num_hidden_layers": 6, "num_experts": 60}
    config |= {
        "num_experts_per_tok": 4,
        "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632,
    }
    model = read({**config, "decoder_sparse_step": 2, "mlp_only_layers": [5]})
    expert = LayerKind(
        name="expert", count=1, ffn=1408, ffn_kind="gated", experts=60, experts_per_token=4, shared_ffn=5632
    )
    dense = LayerKind("dense", 1, 14336, "gated")
    assert model.kinds == (dense, expert, dense, expert, LayerKind("dense", 2, 14336, "gated"))
    assert len(set(model.layer_kinds)) == 2
    first = read({**config, "first_k_dense_replace": 1, "n_shared_experts": 2, "shared_expert_intermediate_size": 0})
    assert [kind.name for kind in first.layer_kinds] == ["dense"] + 5 * ["expert"]
    assert first.kinds[1].shared_ffn == 2816


def test_text_part_of_a_larger_model():
    assert read({"model_type": "llava", "text_config": LLAMA3, "vision_config": {}}) == read(LLAMA3)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, "lacks the hidden size"),
        ({"hidden_size": 8}, "lacks the number of layers"),
        ({"hidden_size": 8, "n_layer": 2}, "lacks the number of heads"),
        ({**LLAMA3, "hidden_size": "4096"}, "hidden_size = '4096'"),
        ({**MIXTRAL, "num_experts_per_tok": None}, "num_experts_per_tok"),
        ({**LLAMA3, "kv_lora_rank": 512}, "latent attention"),
        ({**LLAMA3, "is_encoder_decoder": True}, "encoder-decoder"),
        ({**LLAMA3, "model_type": "mamba2"}, "state-space"),
        ({**LLAMA3, "num_key_value_heads": 7}, "kv_heads"),
        ([1], "one JSON object"),
    ],
)
def test_what_is_missing_or_not_covered(config, words):
    with pytest.raises(ValueError, match=words):
        read(config)


def test_what_the_caller_says_wins():
    assert read(LLAMA3, vocabulary=0, ffn=8192).ffn == 8192
    assert math.isclose(read(LLAMA3, bytes_per_value=4).bytes_per_value, 4)

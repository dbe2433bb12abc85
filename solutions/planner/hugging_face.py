"""From a Hugging Face `config.json` to the planner's `ModelConfig`."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from solutions.planner.transformer import FfnKind, LayerKind, ModelConfig

_NAMES = {
    "hidden size": ("hidden_size", "n_embd", "d_model", "dim"),
    "number of layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "number of heads": ("num_attention_heads", "n_head", "n_heads", "num_heads"),
}
_KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num")
_FFN = ("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "ffn_hidden_dim", "hidden_dim")
_EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts")
_ACTIVATION = ("hidden_act", "hidden_activation", "activation_function", "activation", "feed_forward_proj")
_DROPOUT = (
    "attention_dropout",
    "attn_pdrop",
    "attention_probs_dropout_prob",
    "hidden_dropout",
    "hidden_dropout_prob",
    "resid_pdrop",
    "residual_dropout",
    "embd_pdrop",
    "embedding_dropout",
    "dropout",
    "dropout_rate",
)
_GELU_MODELS = (
    "gpt2",
    "gpt_bigcode",
    "gpt_neo",
    "gpt_neox",
    "gptj",
    "opt",
    "bloom",
    "falcon",
    "bert",
    "roberta",
    "phi",
    "starcoder2",
    "mpt",
    "codegen",
    "xglm",
    "biogpt",
    "electra",
    "vit",
)
_GATED_MODELS = ("gemma", "granite", "cohere", "glm", "olmo")


def from_hf_config(config: Mapping[str, Any], *, seq: int, batch: int, **run: Any) -> ModelConfig:
    """Read a model's shape from its config.json.

    Understands the key names of Llama, Mistral, Mixtral, Qwen, Gemma, Phi, GPT-2, GPT-NeoX, OPT, BLOOM,
    Falcon, BERT and their relatives, and layers that alternate between dense and expert networks.

    Parameters
    ----------
    config
        The contents of config.json; for a model with several parts, its `text_config` is read.
    seq, batch
        How the model is to be trained: a config.json does not know.
    **run
        Any other field of `ModelConfig`, such as `tensor_parallel` or `flash_attention`; they win over the
        file.

    Raises
    ------
    ValueError
        With a sentence, when something needed is missing or the model is of a kind that the planner does
        not cover.
    """
    if not isinstance(config, Mapping):
        raise ValueError("A config.json holds one JSON object.")
    if isinstance(config.get("text_config"), Mapping):
        config = {**config["text_config"]}
    _refuse_what_is_not_covered(config)
    hidden, layers, heads = (_required(config, what) for what in _NAMES)
    fields: dict[str, Any] = {
        "layers": layers,
        "hidden": hidden,
        "heads": heads,
        "seq": seq,
        "batch": batch,
        "kv_heads": _kv_heads(config, heads),
        "head_size": _optional(config, ("head_dim",)),
        "vocabulary": _optional(config, ("vocab_size",)) or 0,
        "tied_embeddings": config.get("tie_word_embeddings", _model_type(config) in ("gpt2", "opt", "bloom")) is True,
        "dropout": any(_number(config.get(key)) > 0 for key in _DROPOUT),
    }
    kinds = _kinds(config, layers, hidden)
    if len(kinds) == 1 and not kinds[0].experts:
        fields |= {"ffn": kinds[0].ffn, "ffn_kind": kinds[0].ffn_kind}
    else:
        fields["kinds"] = kinds
    return ModelConfig(**{**fields, **run})


def _kinds(config: Mapping[str, Any], layers: int, hidden: int) -> tuple[LayerKind, ...]:
    ffn_kind = _ffn_kind(config)
    width = _optional(config, _FFN) or 4 * hidden
    dense = LayerKind("dense", 1, width, ffn_kind)
    experts = _optional(config, _EXPERTS)
    if not experts:
        return (replace(dense, count=layers),)
    per_token = _optional(config, ("num_experts_per_tok", "num_experts_per_token", "moe_topk"))
    if not per_token:
        raise ValueError(
            "The config.json has experts but does not say how many each token visits (num_experts_per_tok)."
        )
    expert_width = _optional(config, ("moe_intermediate_size", "expert_ffn_hidden_size")) or width
    shared = _optional(config, ("shared_expert_intermediate_size",)) or 0
    shared = shared or expert_width * (_optional(config, ("n_shared_experts",)) or 0)
    expert = LayerKind("expert", 1, expert_width, ffn_kind, experts, per_token, shared)
    first_dense = _optional(config, ("first_k_dense_replace",)) or 0
    every = _optional(config, ("decoder_sparse_step", "moe_layer_freq")) or 1
    only_dense = config.get("mlp_only_layers") or ()
    row = [dense if i < first_dense or i in only_dense or (i + 1) % every else expert for i in range(layers)]
    return tuple(replace(kind, count=len(list(run))) for kind, run in itertools.groupby(row))


def _ffn_kind(config: Mapping[str, Any]) -> FfnKind:
    """Tell two matrices from three, for which the activation's name is not enough (Gemma's says "gelu")."""
    model_type = _model_type(config)
    if model_type in _GELU_MODELS:
        return "gelu"
    activation = str(next((config[key] for key in _ACTIVATION if config.get(key)), ""))
    named = any(word in activation.lower() for word in ("silu", "swish", "glu", "gated"))
    return "gated" if named or model_type.startswith(_GATED_MODELS) else "gelu"


def _kv_heads(config: Mapping[str, Any], heads: int) -> int:
    if _model_type(config) == "falcon" and config.get("multi_query") and not config.get("new_decoder_architecture"):
        return 1
    if _model_type(config) == "gpt_bigcode" and config.get("multi_query", True):
        return 1
    return _optional(config, _KV_HEADS) or heads


def _refuse_what_is_not_covered(config: Mapping[str, Any]) -> None:
    if config.get("is_encoder_decoder"):
        raise ValueError("This is an encoder-decoder model; the planner covers models of one stack of layers.")
    if config.get("kv_lora_rank"):
        raise ValueError(
            "This model compresses its keys and values (multi-head latent attention, kv_lora_rank), "
            "which stores other tensors than the planner counts."
        )
    if "state_size" in config or "ssm_state_size" in config or "mamba" in _model_type(config):
        raise ValueError("This model has state-space layers; the planner covers attention layers only.")


def _required(config: Mapping[str, Any], what: str) -> int:
    value = _optional(config, _NAMES[what])
    if value is None:
        names = " or ".join(_NAMES[what][:2])
        raise ValueError(f"The config.json lacks the {what} ({names}).")
    return value


def _optional(config: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = config.get(name)
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError(f"The config.json says {name} = {value!r}, which is not a whole number.")
        return value
    return None


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _model_type(config: Mapping[str, Any]) -> str:
    return str(config.get("model_type", ""))

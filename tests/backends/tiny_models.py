"""Tiny models in Meta's format: one that knows swap programs, and one of noise that knows nothing."""

from functools import lru_cache
from pathlib import Path

import torch
from recipe import byte_fallback_tokenizer, tiny_config
from transformers import CwmForCausalLM

from cwm_agent.oracles.backends.transformers.model_loading import HfSettings, LoadedModel, load, loaded

TRAINED = str(Path(__file__).parent.parent / "data" / "swap_cwm")
NOISE_SHAPE = {
    "hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16,
    "num_hidden_layers": 3, "layer_types": ["full_attention", "sliding_attention", "sliding_attention"],
    "sliding_window": 24, "initializer_range": 0.2, "tie_word_embeddings": False,
}  # fmt: skip


@lru_cache(maxsize=1)
def trained() -> LoadedModel:
    """The tiny CWM that comes with the tests."""
    torch.set_num_threads(1)
    return load(HfSettings(TRAINED, device="cpu"))


@lru_cache(maxsize=1)
def noise() -> LoadedModel:
    """A random CWM over bytes whose windows are shorter than any history."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokenizer = byte_fallback_tokenizer([], pieces=0)
    return loaded(CwmForCausalLM(tiny_config(tokenizer, **NOISE_SHAPE)), tokenizer)

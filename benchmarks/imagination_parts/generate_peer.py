"""The peer of `benchmarks.imagination`: plain `generate` of transformers, one step at a time; knows no oracle.

A Llama configuration of the embedded model's size over bytes, fp32, batch 1, cache on. Weights are random, since speed
does not depend on them; each step reads the true question and generates as many tokens as the true answer has.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cwm_agent.engine.shape import Shape


@dataclass(frozen=True, slots=True)
class Saying:
    """One step: the prompt (program and state) and the number of generated tokens."""

    prompt: tuple[int, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Peer:
    """A loaded model of transformers."""

    model: Any
    parameters: int
    device: str

    def seconds(self, sayings: Sequence[Saying]) -> float:
        """The seconds of these steps, one after another."""
        import torch

        began = time.perf_counter()
        with torch.inference_mode():
            for saying in sayings:
                prompt = torch.tensor([saying.prompt], device=self.device)
                self.model.generate(
                    prompt,
                    attention_mask=torch.ones_like(prompt),
                    min_new_tokens=saying.tokens,
                    max_new_tokens=saying.tokens,
                    do_sample=False,
                    use_cache=True,
                    pad_token_id=0,
                )
        return time.perf_counter() - began


def peer(shape: Shape, device: str, seed: int = 0) -> Peer:
    """A random Llama with the layers, widths and heads of the embedded model."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.width,
        intermediate_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        max_position_embeddings=8_192,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    make: Any = LlamaForCausalLM  # typed differently from version to version
    model = make(config).to(device).eval()
    return Peer(model, sum(parameter.numel() for parameter in model.parameters()), device)

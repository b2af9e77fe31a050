"""Answers to a prompt from a causal language model of transformers; uses its chat template if it has one."""

from typing import Any

from cwm_agent.oracles.backends.transformers.model_loading import HfSettings, opened
from cwm_agent.oracles.protocol import BackendFailed
from cwm_agent.oracles.writer_protocol import WrittenText

WARMTH = 0.8
"""Temperature of all answers but the first."""


class HfWriter:
    """Writes with a model in this process."""

    def __init__(self, network: Any, tokenizer: Any, *, name: str = "hf", batch: int = 32, longest: int = 2_000):
        self._network, self._tokenizer = network.eval(), tokenizer
        self._name, self._batch, self._longest = name, batch, longest

    @classmethod
    def load(cls, text: str) -> "HfWriter":
        """Return the writer that `hf:...` names."""
        settings = HfSettings.parse(text)
        network, tokenizer, about = opened(settings)
        named = f"hf:{settings.model} ({about})"
        return cls(network, tokenizer, name=named, batch=settings.batch, longest=settings.frame)

    @property
    def name(self) -> str:
        return self._name

    def write(self, prompt: str, count: int, seed: int) -> list[WrittenText]:
        ids = self._ids(prompt)
        context = int(getattr(self._network.config, "max_position_embeddings", None) or 1 << 20)
        room = min(self._longest, context - len(ids))
        if room < 1:
            return []  # the program fills the context: there is no proposal, which is no failure
        try:
            return [*self._drawn(ids, 1, room, None), *self._drawn(ids, count - 1, room, seed)]
        except RuntimeError as error:  # torch raises it when memory runs out
            raise BackendFailed(f"{self._name} broke: {str(error)[:300]} Try a smaller batch=.") from error

    def _ids(self, prompt: str) -> list[int]:
        if getattr(self._tokenizer, "chat_template", None):
            messages = [{"role": "user", "content": prompt}]
            found = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
            return list(found)
        return list(self._tokenizer.encode(prompt))

    def _drawn(self, ids: list[int], count: int, room: int, seed: int | None) -> list[WrittenText]:
        """Draw answers, a batch at a time; without a seed return the likeliest one."""
        import torch

        fed = torch.tensor([ids], device=self._network.device)
        how: dict[str, Any] = {"do_sample": False}
        if seed is not None:
            torch.manual_seed(seed)
            how = {"do_sample": True, "temperature": WARMTH, "top_k": 0, "top_p": 0.95}
        found = []
        for first in range(0, count, self._batch):
            rows = min(self._batch, count - first)
            with torch.inference_mode():
                output = self._network.generate(
                    fed.repeat(rows, 1), attention_mask=torch.ones_like(fed).repeat(rows, 1), max_new_tokens=room, **how
                )
            found += [WrittenText(self._text(row[len(ids) :].tolist()), row.numel()) for row in output]
        return found

    def _text(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))

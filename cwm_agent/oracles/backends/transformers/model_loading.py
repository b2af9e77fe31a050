"""Loads a causal language model and its tokenizer from a folder or the local Hugging Face cache; knows no frame.

    hf:FOLDER_OR_NAME[:device=cuda,dtype=bfloat16,load=4bit,batch=32,frame=2000,download=yes,prompt=examples]

Nothing is downloaded unless the name has `download=yes`.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from cwm_agent.oracles.formats.meta_tokens import BEGIN, SPECIALS
from cwm_agent.oracles.protocol import BackendFailed, UnknownOracle
from cwm_agent.views.history.frame_format import Mark

_TYPES = ("auto", "float32", "bfloat16", "float16")
_LOADS = ("whole", "8bit", "4bit")
_PROMPTS = ("marks", "examples")
_DEVICE = re.compile(r"auto|cpu|mps|(cuda|xpu)(:\d+)?")


@dataclass(frozen=True, slots=True)
class HfSettings:
    """The model, its device and type, and how it is used."""

    model: str
    """A folder, or a name in the local Hugging Face cache."""
    device: str = "auto"
    """`auto`: the first GPU if there is one."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """`auto`: bfloat16 on a GPU, float32 elsewhere."""
    load: Literal["whole", "8bit", "4bit"] = "whole"
    """Quantised loading needs bitsandbytes."""
    batch: int = 32
    """Rollouts decoded together; more than that take turns."""
    frame: int = 2_000
    """Most tokens of a frame; a longer one is cut off."""
    download: bool = False
    """Whether a model that is not on this machine may be downloaded from the Hugging Face hub."""
    prompt: Literal["marks", "examples"] = "marks"
    """`marks`: Meta's special tokens; `examples`: plain text behind examples, for models without these tokens."""

    def __post_init__(self) -> None:
        if not self.model:
            raise UnknownOracle("hf: names no model. Write hf:FOLDER or hf:facebook/cwm.")
        if self.dtype not in _TYPES or self.load not in _LOADS:
            raise UnknownOracle(f"dtype is one of {', '.join(_TYPES)} and load one of {', '.join(_LOADS)}; see {self}.")
        if not _DEVICE.fullmatch(self.device):
            raise UnknownOracle(f"device={self.device!r} is none. Use auto, cpu, cuda, cuda:1, mps or xpu.")
        if self.prompt not in _PROMPTS:
            raise UnknownOracle(f"prompt is one of {', '.join(_PROMPTS)}; see {self}.")
        if self.batch < 1 or self.frame < 1:
            raise UnknownOracle(f"batch={self.batch} and frame={self.frame} must be 1 or more.")

    @classmethod
    def parse(cls, text: str) -> "HfSettings":
        """Parse the settings behind `hf:`."""
        model, _, tail = text.rpartition(":") if "=" in text.rpartition(":")[2] else (text, "", "")
        found = cls(model)
        for part in filter(None, tail.split(",")):
            key, _, value = part.partition("=")
            if key not in {each.name for each in fields(cls)} - {"model"}:
                raise UnknownOracle(
                    f"{key!r} in 'hf:{text}' is no setting. Use device, dtype, load, batch, frame, prompt."
                )
            given: dict[str, Any] = {key: _value(key, value, text)}
            found = replace(found, **given)
        return found


def _value(key: str, value: str, text: str) -> Any:
    if key == "download":
        if value not in ("yes", "no"):
            raise UnknownOracle(f"download={value!r} in 'hf:{text}' is neither yes nor no.")
        return value == "yes"
    if key not in ("batch", "frame"):
        return value
    try:
        return int(value)
    except ValueError:
        raise UnknownOracle(f"{key}={value!r} in 'hf:{text}' is no whole number.") from None


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model with its tokenizer and the marks of Meta's format."""

    network: Any
    """The model of transformers; `Any`, because the library's types are incomplete."""
    marks: Mapping[Mark, int]
    """Ids of the marks; empty if the model is asked by examples."""
    begin: tuple[int, ...]
    """Tokens with which every text begins."""
    encode: Callable[[str], Sequence[int]]
    """Text to tokens; never makes a special token of text."""
    decode: Callable[[Sequence[int]], str]
    specials: frozenset[int]
    context: int
    """Tokens that fit into the context."""
    about: str
    """Device and type, in words."""


def load(settings: HfSettings) -> LoadedModel:
    """Return the model ready for queries; raise BackendFailed, with what to do, if it cannot be loaded."""
    if settings.prompt == "examples":
        network, tokenizer, about = opened(settings)
        return loaded(network, tokenizer, {}, f"{about}, by examples")
    network, tokenizer, about = opened(settings, lambda tokenizer: _marks(tokenizer, settings.model))
    return loaded(network, tokenizer, _marks(tokenizer, settings.model), about)


def opened(settings: HfSettings, check: Callable[[Any], object] = lambda tokenizer: None) -> tuple[Any, Any, str]:
    """Return network, tokenizer, and device and type in words; `check` may refuse a tokenizer before weights load."""
    import torch
    from transformers import AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # its retries are no news
    disable_progress_bar()  # type: ignore[no-untyped-call]  # what commands print is for people and for pipes
    device = ("cuda" if torch.cuda.is_available() else "cpu") if settings.device == "auto" else settings.device
    dtype = ("bfloat16" if device.startswith("cuda") else "float32") if settings.dtype == "auto" else settings.dtype
    reach = {"local_files_only": not settings.download}
    from_name: Any = AutoTokenizer.from_pretrained  # typed differently from version to version
    try:
        tokenizer = from_name(settings.model, **reach)
        check(tokenizer)
        network = _network(settings, device, getattr(torch, dtype), reach)
    except (OSError, ValueError, ImportError, RuntimeError, AssertionError) as error:  # torch without CUDA asserts
        if isinstance(error, BackendFailed):
            raise
        raise BackendFailed(_why(settings, error)) from error
    return network, tokenizer, f"{settings.load} {dtype} on {device}"


def loaded(network: Any, tokenizer: Any, marks: Mapping[Mark, int] | None = None, about: str = "") -> LoadedModel:
    """Return a network and a tokenizer that are loaded already as the LoadedModel that an oracle takes."""
    first = tokenizer.bos_token_id
    if first is None and BEGIN in tokenizer.get_vocab():
        first = tokenizer.convert_tokens_to_ids(BEGIN)
    known: dict[str, tuple[int, ...]] = {}

    def encode(text: str) -> Sequence[int]:
        if text not in known:
            if len(known) > 50_000:  # frames repeat, so the last encodings are worth keeping
                known.clear()
            known[text] = tuple(tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True))
        return known[text]

    def decode(tokens: Sequence[int]) -> str:
        return str(tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    return LoadedModel(
        network=network.eval(),
        marks=_marks(tokenizer, "the model") if marks is None else marks,
        begin=() if first is None else (int(first),),
        encode=encode,
        decode=decode,
        specials=frozenset(tokenizer.all_special_ids),
        context=int(getattr(network.config, "max_position_embeddings", None) or 1 << 20),
        about=about,
    )


def _network(settings: HfSettings, device: str, dtype: Any, reach: dict[str, bool]) -> Any:
    from transformers import AutoModelForCausalLM

    if settings.load == "whole":
        from_name: Any = AutoModelForCausalLM.from_pretrained
        return from_name(settings.model, dtype=dtype, **reach).to(device)
    if find_spec("bitsandbytes") is None:
        raise BackendFailed(f"load={settings.load} needs bitsandbytes. Install it with `pip install bitsandbytes`.")
    from transformers import BitsAndBytesConfig

    bits = {"load_in_8bit": True} if settings.load == "8bit" else {"load_in_4bit": True}
    quantised = BitsAndBytesConfig(**bits, bnb_4bit_compute_dtype=dtype)  # type: ignore[no-untyped-call]
    return AutoModelForCausalLM.from_pretrained(
        settings.model, dtype=dtype, quantization_config=quantised, device_map=device, **reach
    )


def _marks(tokenizer: Any, name: str) -> dict[Mark, int]:
    """Return the ids of the marks; raise BackendFailed if the tokenizer lacks one."""
    known = tokenizer.get_vocab()
    missing = [text for text in SPECIALS.values() if text not in known]
    if missing:
        raise BackendFailed(
            f"{name} has no token {missing[0]} ({len(missing)} of {len(SPECIALS)} are missing), so it does not speak "
            "the trace format. Use facebook/cwm or a model trained on its format, or ask this one by examples: "
            f"hf:{name}:prompt=examples."
        )
    return {mark: int(known[text]) for mark, text in SPECIALS.items()}


def _why(settings: HfSettings, error: Exception) -> str:
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    if "CUDA" in str(error) or "cuda" in settings.device:
        return f"{settings.model} could not be put on {settings.device}: {reason} Try device=cpu, or load=4bit."
    if Path(settings.model).exists():
        if not (Path(settings.model) / "config.json").exists():
            reason = "it has no config.json. Name the folder that save_pretrained or a download wrote."
        return f"The folder {settings.model} holds no model that can be loaded: {reason}"
    if settings.download:
        return f"{settings.model} could not be fetched: {reason} Check its name, the network and your access to it."
    return (
        f"No folder and no downloaded model {settings.model}. Fetch it with `hf download {settings.model}`, "
        "or allow it with :download=yes."
    )

"""How the tiny CWM beside this file was made: `python tests/data/swap_cwm/recipe.py`, seed 0, on one CPU core.

It learns straight programs of 3 to 5 swaps over three variables, no swap twice, told in Meta's trace format. Its
tokenizer holds some pieces of such text, whole swaps among them, and falls back to bytes for everything else.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import CwmConfig, CwmForCausalLM, PreTrainedTokenizerFast

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[2]), str(HERE)]

from swap_programs import told  # noqa: E402

from cwm_agent.oracles.formats.meta_tokens import BEGIN, SPECIALS, prompt_ids, prompt_text  # noqa: E402
from cwm_agent.oracles.history_protocol import HistoryQuery  # noqa: E402
from cwm_agent.training.optimiser import Muon  # noqa: E402
from cwm_agent.views.history.frame_format import Mark  # noqa: E402
from envs.execution.decompose.program import Program  # noqa: E402
from envs.execution.state.history_frames import History  # noqa: E402

PARTS = r" {4}[abc], [abc] = [abc], [abc]\n|\d|[A-Za-z_]+|[^A-Za-z_\d]+"
"""What the tokenizer takes as one: a swap, a digit, a word, or what stands between them."""

RATE = 4e-3


def byte_fallback_tokenizer(
    texts: list[str], pieces: int = 160, marks: Sequence[str] = tuple(SPECIALS.values())
) -> PreTrainedTokenizerFast:
    """A tokenizer with so many pieces of these texts, every byte, and the marks of Meta's format."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Split(Regex(PARTS), "isolated")
    for text in SPECIALS.values():
        texts = [each.replace(text, "\x00") for each in texts]
    parts = [part for text in texts for part in text.replace(BEGIN, "").split("\x00")]
    trained.train_from_iterator(parts, trainers.BpeTrainer(vocab_size=pieces, show_progress=False))
    learnt = trained.get_vocab()
    order = sorted(learnt, key=learnt.__getitem__)
    merges = [tuple(merge) for merge in json.loads(trained.to_str())["model"]["merges"]]
    vocabulary = {piece: number for number, piece in enumerate([*(f"<0x{byte:02X}>" for byte in range(256)), *order])}
    made = Tokenizer(models.BPE(vocabulary, merges, byte_fallback=True))
    made.pre_tokenizer = trained.pre_tokenizer
    made.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens([BEGIN, *marks])
    last = marks[-1] if marks else BEGIN
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token=BEGIN,
        eos_token=last,
        pad_token=last,
        clean_up_tokenization_spaces=False,
    )


def tiny_config(tokenizer: PreTrainedTokenizerFast, **changed: object) -> CwmConfig:
    """Three layers of width 96, one of them with the whole history in sight."""
    shape = {
        "hidden_size": 96, "intermediate_size": 256, "num_hidden_layers": 3, "num_attention_heads": 3,
        "num_key_value_heads": 3, "head_dim": 32, "max_position_embeddings": 16384, "sliding_window": 1024,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}, "tie_word_embeddings": True, "initializer_range": 0.06,
        "vocab_size": len(tokenizer), "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip
    return CwmConfig(**(shape | changed))


def ids_of(tokenizer: PreTrainedTokenizerFast, program: Program, real: History) -> list[int]:
    """A whole run as tokens, its end included."""
    marks = {mark: tokenizer.convert_tokens_to_ids(text) for mark, text in SPECIALS.items()}
    whole = HistoryQuery(program, real.frames)

    def encode(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False)

    return [tokenizer.bos_token_id, *prompt_ids(whole, encode, marks), marks[Mark.END]]


def batch_of(tokenizer: PreTrainedTokenizerFast, rng: Random, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Runs side by side, and which of their tokens can be told: those behind the call."""
    runs = [ids_of(tokenizer, *told(rng)) for _ in range(rows)]
    width = max(map(len, runs))
    separator = tokenizer.convert_tokens_to_ids(SPECIALS[Mark.FRAME])
    ids = torch.tensor([[*run, *[tokenizer.pad_token_id] * (width - len(run))] for run in runs])
    called = torch.tensor([[i for i, token in enumerate(run) if token == separator][1] for run in runs])
    ended = torch.tensor([len(run) for run in runs])
    places = torch.arange(width)
    return ids, (places > called[:, None]) & (places < ended[:, None])


def train(seconds: float, seed: int, rows: int = 24) -> tuple[CwmForCausalLM, PreTrainedTokenizerFast]:
    """A model trained until it is always right, for so long at most; and its tokenizer."""
    torch.manual_seed(seed)
    rng = Random(seed)
    samples = [told(rng) for _ in range(200)]
    tokenizer = byte_fallback_tokenizer([prompt_text(HistoryQuery(p, real.frames)) for p, real in samples])
    model = CwmForCausalLM(tiny_config(tokenizer))
    print(f"{model.num_parameters()} parameters, {len(tokenizer)} tokens", flush=True)
    matrices = [each for name, each in model.named_parameters() if each.ndim == 2 and "embed" not in name]
    others = [each for name, each in model.named_parameters() if each.ndim != 2 or "embed" in name]
    muon = Muon(matrices, momentum=0.95, weight_decay=0.01, compiled=False)
    adam = torch.optim.AdamW(others, lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
    began, step, average, right = time.process_time(), 0, 3.0, 0.0
    while (gone := (time.process_time() - began) / seconds) < 1.0 and right < 0.9999:
        rate = RATE * min(1.0, (step + 1) / 30) * min(1.0, 3.0 * (1.0 - gone) + 0.02, 3.0 * (1.02 - right))
        adam.param_groups[0]["lr"] = rate
        ids, counted = batch_of(tokenizer, rng, rows)
        found = model(ids, labels=ids.masked_fill(~counted, -100))
        model.zero_grad()
        found.loss.backward()
        adam.step()
        muon.step(rate)
        exact = ((found.logits[:, :-1].argmax(-1) == ids[:, 1:]) | ~counted[:, 1:]).all(dim=1).float().mean().item()
        step, average, right = step + 1, average + 0.05 * (found.loss.item() - average), right + 0.05 * (exact - right)
        if step % 25 == 0:
            said = f"step {step}, loss {average:.4f}, whole runs right {right:.3f}, {gone * seconds:.0f} s"
            print(f"{said}, {ids.shape[1]} tokens", flush=True)
    return model, tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=420.0, help="of CPU time, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=HERE)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, tokenizer = train(options.seconds, options.seed)
    model.to(torch.bfloat16).save_pretrained(options.out)
    tokenizer.save_pretrained(options.out)


if __name__ == "__main__":
    main()

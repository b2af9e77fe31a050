"""Measures frames per second of a transformers model, with and without the prefix cache.

    python -m benchmarks.backends [--rollouts 32] [--commands 40] [--frame 32] [--json OUT]

Many rollouts of one tiny random CWM over bytes follow the real run of one swap program, whatever the model generates:
both ways get the same questions and generate the same tokens. With the cache a rollout reads only new tokens, and all
rollouts share the source; without it the whole history is read again for every frame. Inside a frame the KV cache is
used in both cases. A frame ends after `--frame` tokens, about the length of a frame of a subword model.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from cwm_agent.oracles.backends.transformers.cwm_history import HfHistory
from cwm_agent.oracles.backends.transformers.model_loading import LoadedModel, loaded
from cwm_agent.oracles.formats.meta_tokens import BEGIN, SPECIALS
from cwm_agent.oracles.history_protocol import HistoryQuery
from cwm_agent.views.history.frame_format import Mark
from envs.execution.decompose.program import Program, plain
from envs.execution.state.history_frames import HistoryFrame


def tiny_model(seed: int = 0) -> LoadedModel:
    """A random CWM over bytes; its text is noise, its speed is realistic."""
    import torch
    from tokenizers import Tokenizer, decoders, models
    from transformers import CwmConfig, CwmForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(seed)
    made = Tokenizer(models.BPE({f"<0x{byte:02X}>": byte for byte in range(256)}, [], byte_fallback=True))
    made.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens([BEGIN, *SPECIALS.values()])
    end = SPECIALS[Mark.END]
    make_tokenizer: Any = PreTrainedTokenizerFast  # typed differently from version to version
    make_model: Any = CwmForCausalLM
    tokenizer = make_tokenizer(tokenizer_object=made, bos_token=BEGIN, eos_token=end, pad_token=end)
    config = CwmConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=4, num_attention_heads=2,
        num_key_value_heads=1, head_dim=32, max_position_embeddings=16_384, sliding_window=1_024,
        bos_token_id=256, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return loaded(make_model(config), tokenizer, about="random, float32")


def swap_run(commands: int, seed: int = 0) -> tuple[Program, tuple[HistoryFrame, ...]]:
    """A straight swap program and its run, computed without execution."""
    rng = Random(seed)
    names = list("abcde")
    pairs = [rng.sample(names, 2) for _ in range(commands)]
    lines = [f"    {one}, {two} = {two}, {one}" for one, two in pairs]
    source = "\n".join([f"def f({', '.join(names)}):", *lines, "    return a"]) + "\n"
    values = {name: str(number) for number, name in enumerate(names)}
    frames = [HistoryFrame("call", source.splitlines()[0], (1,), tuple(values.items()))]
    for number, (line, (one, two)) in enumerate(zip(lines, pairs, strict=True), start=2):
        frames.append(HistoryFrame("line", line, (number,), tuple(values.items())))
        values[one], values[two] = values[two], values[one]
    return plain(source, "f"), tuple(frames)


def measure(model: LoadedModel, *, rollouts: int, commands: int, frame: int, kept: bool) -> dict[str, Any]:
    """Frames per second when every rollout follows the run and generates `frame` tokens per step."""
    program, frames = swap_run(commands)
    oracle = HfHistory(model, batch=rollouts, frame=frame, kept=kept)
    tokens = 0
    began, worked = time.perf_counter(), time.process_time()
    for length in range(1, len(frames)):
        queries = [HistoryQuery(program, frames[:length], rollout=number) for number in range(rollouts)]
        tokens += sum(prediction.tokens for prediction in oracle.continue_(queries))
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    generated = rollouts * (len(frames) - 1)
    speed = {"frames_per_second": generated / seconds, "frames_per_cpu_second": generated / worked}
    return {"kept": kept, "frames": generated, "seconds": seconds, "cpu_seconds": worked, **speed, "tokens": tokens}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=32)
    parser.add_argument("--commands", type=int, default=40, help="swaps of the program")
    parser.add_argument("--frame", type=int, default=32, help="generated tokens per frame")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    model = tiny_model()
    sizes = {"rollouts": options.rollouts, "commands": options.commands, "frame": options.frame}
    measure(model, rollouts=2, commands=2, frame=2, kept=True)  # warm-up
    rows = [measure(model, **sizes, kept=kept) for kept in (True, False)]
    gain, of_work = (rows[0][speed] / rows[1][speed] for speed in ("frames_per_second", "frames_per_cpu_second"))
    for row in rows:
        speeds = f"{row['frames_per_second']:8.1f} frames/s {row['frames_per_cpu_second']:8.1f} per CPU second"
        print(f"kept {row['kept']!s:5} {speeds} {row['tokens']:9d} tokens read and generated")
    print(
        f"prefix cache: {gain:.1f} times as fast, {of_work:.1f} times by CPU time, which other processes do not disturb"
    )
    if options.json:
        found = {"rows": rows, "gain": gain, "gain_by_cpu_time": of_work, **sizes}
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()

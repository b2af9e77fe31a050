"""Measures decoding against the limit by memory bandwidth: tokens per second by batch rows, on any device.

A forward pass must read every weight once, and the KV cache of every row. Copying measures the bandwidth. Speculative
decoding is off: each pass generates one token per row.
"""

import time
from typing import Any

from cwm_agent.engine import weights
from cwm_agent.engine.accelerator.greedy_decoder import STEPS, GreedyDecoder
from cwm_agent.engine.decoding.protocol import InferencePass
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache

PROMPT, PASSES = 64, 32


def bandwidth(model: weights.TrainedModel, device: str, *, rows: tuple[int, ...], seed: int) -> dict[str, Any]:
    """Tokens per second of prefill and of decoding, and their share of the limit."""
    import torch

    torch.manual_seed(seed)
    reader = Engine(model, device=device).forward_pass
    decoder = GreedyDecoder(reader) if isinstance(reader, ForwardPass) and device.startswith("cuda") else None
    limit = _bytes_per_second(device)
    found = []
    for count in rows:
        with torch.inference_mode():
            for _ in range(2):  # the first time is a warm-up
                row = _decoded(reader, decoder, count, device)
        moved = _bytes_per_step(reader, count, PROMPT + PASSES // 2)
        found.append({"rows": count, **row, "share_of_limit": moved / row["seconds_a_pass"] / limit})
    return {"bytes_a_second": limit, "weight_bytes": _bytes_per_step(reader, 0, 0), "rows": found}


def _bytes_per_step(reader: InferencePass, rows: int, columns: int) -> int:
    """Bytes that a step over one token per row must load: matrices, keys and values."""
    shape, size = reader.shape, reader.arrays.itemsize
    matrices = shape.matrix_numbers * (1 if reader.is_native else size)
    return matrices + size * rows * columns * shape.cached_numbers + 4 * shape.vocabulary * shape.width


def _decoded(reader: InferencePass, decoder: GreedyDecoder | None, rows: int, device: str) -> dict[str, float]:
    import torch

    tokens = torch.randint(32, 120, (rows, PROMPT)).tolist()
    memory, places = reader.new_kv_cache(rows, PROMPT + PASSES), slice(0, rows)
    began = _now(device)
    reading = reader.forward(tokens, memory, places)
    memory.commit(places, [PROMPT] * rows, reading)
    read = _now(device)
    token = reader.next_tokens(reading.hidden[PROMPT - 1 :: PROMPT]).best()[0]
    if decoder is not None:
        token = _in_graphs(decoder, memory, token)
        began, read = began - read + (restart := _now(device)), restart  # recording is not counted
        for _ in range(PASSES // STEPS - 1):
            token = _in_graphs(decoder, memory, token)
    else:
        for _ in range(PASSES):
            reading = reader.forward([[each] for each in token], memory, places)
            memory.commit(places, [1] * rows, reading)
            token = reader.next_tokens(reading.hidden).best()[0]
    done = _now(device)
    passes = PASSES if decoder is None else PASSES - STEPS
    return {
        "tokens_read_a_second": rows * PROMPT / (read - began),
        "tokens_said_a_second": rows * passes / (done - read),
        "seconds_a_pass": (done - read) / passes,
    }


def _in_graphs(decoder: GreedyDecoder, memory: KVCache, pending: list[int]) -> list[int]:
    """Decode `STEPS` tokens per row; random text may end a row, which then goes on from its last token all the same."""
    lengths = memory.lengths
    found = decoder.decode(memory, pending, ())
    memory.lengths = [length + STEPS for length in lengths]
    return [each.tokens[-1] for each in found]


def _now(device: str) -> float:
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter()


def _bytes_per_second(device: str) -> float:
    """Bytes per second that copying reads and writes, the best of five."""
    import torch

    source = torch.ones(2**30 if device.startswith("cuda") else 2**26, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    best = 0.0
    for _ in range(5):
        began = _now(device)
        target.copy_(source)
        best = max(best, 2 * source.nbytes / (_now(device) - began))
    return best

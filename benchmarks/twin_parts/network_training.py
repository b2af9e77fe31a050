"""Trains a twin for a number of seconds, and counts its right answers in one pass without decoding. Knows no text."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.twin_parts.sequence_networks import TwinNetwork, TwinShape
from benchmarks.twin_parts.token_rows import TokenBatch, TokenRow, padded

QUESTION_WEIGHT = 0.1
"""Weight of the loss on the question beside that on the answer."""
MEASURED_TOKENS = 32_768
"""Tokens of one pass of a measurement, padding included."""


@dataclass(frozen=True, slots=True)
class TrainingPace:
    """How long and how fast a twin learns."""

    seconds: float
    rate: float
    """Highest learning rate; it rises during the first 3 % of the time and falls during the last 35 %."""
    seed: int


@dataclass(frozen=True, slots=True)
class TrainedTwin:
    """A network and what it saw."""

    network: TwinNetwork
    tokens: int
    rows: int
    steps: int
    waited: float
    """Seconds of the training in which it waited for rows."""


def tensors_of(batch: TokenBatch, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
    """Ids, and weights of the loss on the *next* token."""
    ids = _moved(torch.from_numpy(batch.ids.astype(np.int64)), device)
    answers = _moved(torch.from_numpy(batch.answers), device)[:, None]
    lengths = _moved(torch.from_numpy(batch.lengths), device)[:, None]
    at = torch.arange(ids.shape[1], device=device)
    return ids, torch.where(at < answers - 1, QUESTION_WEIGHT, 1.0) * (at < lengths - 1)


def _moved(values: Tensor, device: torch.device | str) -> Tensor:
    """The values on the device; from pinned memory, so that the next step is prepared while the GPU computes."""
    return values.pin_memory().to(device, non_blocking=True) if torch.device(device).type == "cuda" else values


def batch_of(rows: Sequence[TokenRow], longest: int) -> tuple[Tensor, Tensor]:
    """Ids and weights of rows; too long rows are left out."""
    return tensors_of(padded([row for row in rows if len(row.ids) <= longest]))


def loss_of(network: TwinNetwork, ids: Tensor, weights: Tensor) -> Tensor:
    """Mean cross-entropy of the next tokens by their weights."""
    logits = network(ids[:, :-1]).float()
    found = functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    used = weights[:, :-1].flatten()
    return (found * used).sum() / used.sum()


def trained_twin(shape: TwinShape, batches: Iterable[TokenBatch], pace: TrainingPace) -> TrainedTwin:
    """A new network after training; the time begins with the first batch."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(pace.seed)
    network = TwinNetwork(shape).to(device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=pace.rate, betas=(0.9, 0.95), weight_decay=0.05)
    tokens = rows = steps = 0
    waited = 0.0
    source = iter(batches)
    batch = next(source)
    until = time.monotonic() + pace.seconds
    while (left := (until - time.monotonic()) / pace.seconds) > 0:
        for group in optimiser.param_groups:
            group["lr"] = pace.rate * min(1.0, left / 0.35, (1 - left) / 0.03 + 1e-3)
        _step(network, optimiser, tensors_of(batch, device), device)
        tokens, rows, steps = tokens + int(batch.lengths.sum()), rows + len(batch.lengths), steps + 1
        began = time.monotonic()
        batch = next(source)
        waited += time.monotonic() - began
    return TrainedTwin(network, tokens, rows, steps, waited)


def _step(network: TwinNetwork, optimiser: torch.optim.Optimizer, tensors: tuple[Tensor, Tensor], device: str) -> None:
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        loss = loss_of(network, *tensors)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)


@torch.inference_mode()
def right_answers(network: TwinNetwork, rows: Sequence[TokenRow]) -> list[bool]:
    """Of each row whether every token of its answer is the first choice; rows that are too long are wrong."""
    device = next(network.parameters()).device
    found = [False] * len(rows)
    for numbers in _groups(rows, network.shape.longest):
        batch = padded([rows[number] for number in numbers])
        ids, weights = tensors_of(batch, device)
        wrong = (network(ids[:, :-1]).argmax(-1) != ids[:, 1:]) & (weights[:, :-1] == 1.0)
        for number, failed in zip(numbers, wrong.any(dim=1).tolist(), strict=True):
            found[number] = not failed
    return found


def _groups(rows: Sequence[TokenRow], longest: int) -> Iterator[list[int]]:
    """Numbers of rows of similar length, as many as one pass takes."""
    group: list[int] = []
    for number in sorted(range(len(rows)), key=lambda each: len(rows[each].ids)):
        length = len(rows[number].ids)
        if length > longest:
            break
        if group and (len(group) + 1) * length > MEASURED_TOKENS:
            yield group
            group = []
        group.append(number)
    if group:
        yield group

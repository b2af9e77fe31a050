"""Share of held-out examples that the network answers exactly, without decoding; knows no feed and no optimiser.

Decoding is greedy, so an answer is exact if and only if each of its tokens is the most likely one given the right
tokens before it. One forward pass over packed rows shows this. For a wrong answer, the predicted tokens up to the first
wrong one are what decoding would give.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from cwm_agent.engine.network import Network
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example
from cwm_agent.training.objective import Forward, layout_of
from cwm_agent.training.packing import Field, Role, fill_rows, fits, pack


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """One held-out example and whether its answer is exact."""

    example: Example
    right: bool
    decoded: bytes
    """The decoded answer up to the first wrong token (a wrong END adds nothing); the whole answer if right."""


@dataclass(frozen=True, slots=True)
class Exactness:
    """Share of answers that are exact in every byte, in total and by kind; the fields are keys of `model.json`."""

    name: str
    count: int
    right: int
    by_kind: tuple[tuple[str, int, int], ...]
    """(kind, examples, right), the worst share first."""
    left_out: int
    """Examples longer than a row, which are not evaluated."""

    @property
    def share(self) -> float:
        return self.right / self.count if self.count else 0.0


def judge(
    network: Forward, examples: Iterable[Example], *, length: int, batch: int, dtype: torch.dtype
) -> Iterator[AnswerVerdict]:
    """A verdict on each example, in order; ValueError for an example longer than a row."""
    groups = fill_rows(examples, length)
    while held := list(islice(groups, batch)):
        fields = np.stack([pack(group, length, BYTES) for group in held], axis=1)
        predicted = _predictions(network, fields, dtype)
        for row, group in enumerate(held):
            yield from _verdicts(group, fields[:, row], predicted[row])


@torch.inference_mode()
def _predictions(network: Forward, fields: NDArray[np.int16], dtype: torch.dtype) -> NDArray[np.int64]:
    """The most likely next token at each position."""
    device = next(network.parameters()).device if isinstance(network, nn.Module) else None
    tensor = torch.from_numpy(fields).to(device)
    tokens, layout = layout_of(tensor)
    # The plain kernel needs no compilation and gives the same result.
    logits = network(tokens, layout, kernel="sdpa", dtype=dtype)
    predicted: NDArray[np.int64] = logits.argmax(dim=-1).cpu().numpy()
    return predicted


def _verdicts(
    group: Sequence[Example], row: NDArray[np.int16], predicted: NDArray[np.int64]
) -> Iterator[AnswerVerdict]:
    """Verdicts on the examples of one row, in order."""
    places = np.flatnonzero(row[Field.ROLE] == Role.ANSWER)
    wrong = predicted[places] != row[Field.TOKEN, places + 1]
    start = 0
    for example in group:
        end = start + len(example.answer) + 1
        mistakes = np.flatnonzero(wrong[start:end])
        decoded = predicted[places[start : start + mistakes[0] + 1]] if len(mistakes) else predicted[places[start:end]]
        yield AnswerVerdict(example, not len(mistakes), BYTES.decode(int(token) for token in decoded))
        start = end


def summarise(name: str, verdicts: Iterable[AnswerVerdict], *, left_out: int = 0) -> Exactness:
    """Counts over the verdicts."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for verdict in verdicts:
        counts[verdict.example.kind][0] += 1
        counts[verdict.example.kind][1] += verdict.right
    table = sorted(
        ((kind, n, right) for kind, (n, right) in counts.items()),
        key=lambda entry: (entry[2] / entry[1], entry),
    )
    return Exactness(
        name=name,
        count=sum(count for _, count, _ in table),
        right=sum(right for *_, right in table),
        by_kind=tuple(table),
        left_out=left_out,
    )


def evaluate(
    network: Network, name: str, examples: Sequence[Example], *, length: int, batch: int, dtype: torch.dtype
) -> tuple[Exactness, list[AnswerVerdict]]:
    """Exactness on the examples, and the verdicts that were wrong."""
    fitting = [example for example in examples if fits(example, length)]
    verdicts = list(judge(network, fitting, length=length, batch=batch, dtype=dtype))
    exactness = summarise(name, verdicts, left_out=len(examples) - len(fitting))
    return exactness, [verdict for verdict in verdicts if not verdict.right]

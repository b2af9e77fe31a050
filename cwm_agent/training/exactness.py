"""How often the network is right on held-out examples, without decoding: knows no feed and no optimiser.

Decoding is greedy, so an answer comes out right exactly when every one of its tokens is the most likely one
given the right ones before it: one forward pass over packed rows tells. Where it is wrong, what the network
says up to and including its first wrong token is what decoding would say.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from cwm_agent.engine.network import Network
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.example import Example
from cwm_agent.training.objective import layout_of
from cwm_agent.training.packing import Field, Role, fill_rows, fits, pack


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """One held-out example and what became of it."""

    example: Example
    right: bool
    said: bytes
    """The answer up to and including the first wrong token (a wrong END adds nothing); the whole answer if right."""


@dataclass(frozen=True, slots=True)
class Exactness:
    """Share of answers right in every byte, over all and by kind."""

    name: str
    count: int
    right: int
    by_kind: tuple[tuple[str, int, int], ...]
    """Kind, examples, right; the worst share first."""
    left_out: int
    """Examples longer than a row, not asked."""

    @property
    def share(self) -> float:
        return self.right / self.count if self.count else 0.0


def judge(
    network: Network, examples: Iterable[Example], *, length: int, batch: int, dtype: torch.dtype
) -> Iterator[AnswerVerdict]:
    """A verdict on each example, in order; examples longer than a row are an error here."""
    groups = fill_rows(examples, length)
    while held := list(islice(groups, batch)):
        fields = np.stack([pack(group, length, BYTES) for group in held], axis=1)
        guesses = _guesses(network, fields, dtype)
        for row, group in enumerate(held):
            yield from _verdicts(group, fields[:, row], guesses[row])


@torch.inference_mode()
def _guesses(network: Network, fields: NDArray[np.int16], dtype: torch.dtype) -> NDArray[np.int64]:
    """The most likely next token at each place."""
    device = network.embedding.device
    tensor = torch.from_numpy(fields).to(device)
    tokens, layout = layout_of(tensor)
    # The plain kernel: it needs no compilation, and says the same as the blocks do.
    logits = network(tokens, layout, kernel="sdpa", dtype=dtype)
    guesses: NDArray[np.int64] = logits.argmax(dim=-1).cpu().numpy()
    return guesses


def _verdicts(group: Sequence[Example], row: NDArray[np.int16], guesses: NDArray[np.int64]) -> Iterator[AnswerVerdict]:
    """Verdicts on the examples of one row: its answers lie in it in their order."""
    places = np.flatnonzero(row[Field.ROLE] == Role.ANSWER)
    wrong = guesses[places] != row[Field.TOKEN, places + 1]
    start = 0
    for example in group:
        end = start + len(example.answer) + 1
        mistakes = np.flatnonzero(wrong[start:end])
        said = guesses[places[start : start + mistakes[0] + 1]] if len(mistakes) else guesses[places[start:end]]
        yield AnswerVerdict(example, not len(mistakes), BYTES.decode(int(token) for token in said))
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
    return Exactness(name, sum(n for _, n, _ in table), sum(r for *_, r in table), tuple(table), left_out)


def evaluate(
    network: Network, name: str, examples: Sequence[Example], *, length: int, batch: int, dtype: torch.dtype
) -> tuple[Exactness, list[AnswerVerdict]]:
    """Exactness on the examples, and the verdicts that were wrong."""
    asked = [example for example in examples if fits(example, length)]
    verdicts = list(judge(network, asked, length=length, batch=batch, dtype=dtype))
    exactness = summarise(name, verdicts, left_out=len(examples) - len(asked))
    return exactness, [verdict for verdict in verdicts if not verdict.right]

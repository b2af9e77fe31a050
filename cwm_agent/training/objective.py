"""The loss on packed rows: cross-entropy of answers, and with a small weight of all other tokens."""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.attention import AttentionLayout, Kernel
from cwm_agent.training.packing import Field, Role

ROLE, QUERY, ANSWER = int(Field.ROLE), int(Role.QUERY), int(Role.ANSWER)  # plain ints for torch.compile


class Forward(Protocol):
    """A network, or a network with an adapter: gives logits of packed rows."""

    def __call__(self, tokens: Tensor, layout: AttentionLayout, *, kernel: Kernel, dtype: torch.dtype) -> Tensor: ...


class Losses(NamedTuple):
    """Scalars of one batch."""

    weighted: Tensor
    """Training loss: answers with weight 1, all other tokens with the query weight."""
    answer: Tensor
    """Mean cross-entropy of the tokens of answers, in nats."""
    exact: Tensor
    """Share of answer tokens that are the first choice of the network."""
    wrong: Tensor
    """The places before answer tokens that are not the first choice; of shape (rows, length)."""


def layout_of(fields: Tensor) -> tuple[Tensor, AttentionLayout]:
    """Tokens and attention layout of packed rows (fields, rows, length)."""
    tokens, segments, contexts, offsets, positions, _ = fields.int().unbind(0)
    return tokens, AttentionLayout(segments, contexts, offsets, positions)


def losses(network: Forward, fields: Tensor, *, query_weight: float, kernel: Kernel, dtype: torch.dtype) -> Losses:
    """The losses of one batch of packed rows."""
    tokens, layout = layout_of(fields)
    logits = network(tokens, layout, kernel=kernel, dtype=dtype).float().flatten(0, 1)
    # The last token of a row has role NOTHING, so the token that is rolled in behind it has no effect.
    targets = tokens.roll(-1, dims=1).flatten().long()
    roles = fields[ROLE].flatten()
    answered = roles == ANSWER
    answers = answered.float()
    cross_entropy = functional.cross_entropy(logits, targets, reduction="none")
    weights = answers + query_weight * (roles == QUERY)
    count = answers.sum().clamp(min=1)
    wrong = (logits.argmax(dim=-1) != targets) & answered
    return Losses(
        weighted=(cross_entropy * weights).sum() / weights.sum(),
        answer=(cross_entropy * answers).sum() / count,
        exact=1 - wrong.sum() / count,
        wrong=wrong.view_as(tokens),
    )

"""What training minimises on packed rows: the surprise of answers, and a little of everything else; knows no
optimiser."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.attention import AttentionLayout, Kernel
from cwm_agent.engine.network import Network
from cwm_agent.training.packing import Field, Role

ROLE, QUERY, ANSWER = int(Field.ROLE), int(Role.QUERY), int(Role.ANSWER)  # plain numbers, for the compiler


class Losses(NamedTuple):
    """Scalars of one batch."""

    weighted: Tensor
    """Minimised: answers at weight 1, all other tokens at the query weight."""
    answer: Tensor
    """Mean surprise of an answer's token, in nats."""
    exact: Tensor
    """Share of the answers' tokens that are the network's first choice."""


def layout_of(fields: Tensor) -> tuple[Tensor, AttentionLayout]:
    """Tokens and layout of packed rows (fields, rows, length), ready for the network."""
    tokens, segments, contexts, offsets, positions, _ = fields.int().unbind(0)
    return tokens, AttentionLayout(segments, contexts, offsets, positions)


def losses(network: Network, fields: Tensor, *, query_weight: float, kernel: Kernel, dtype: torch.dtype) -> Losses:
    """The losses of one batch of packed rows."""
    tokens, layout = layout_of(fields)
    logits = network(tokens, layout, kernel=kernel, dtype=dtype).float().flatten(0, 1)
    # The last token of a row predicts nothing (its role is NOTHING), so what is rolled in there does not matter.
    targets = tokens.roll(-1, dims=1).flatten().long()
    roles = fields[ROLE].flatten()
    answers = (roles == ANSWER).float()
    surprise = functional.cross_entropy(logits, targets, reduction="none")
    weights = answers + query_weight * (roles == QUERY)
    count = answers.sum().clamp(min=1)
    right = (logits.argmax(dim=-1) == targets) * answers
    return Losses((surprise * weights).sum() / weights.sum(), (surprise * answers).sum() / count, right.sum() / count)

"""One update of an adapter: a few optimiser steps on new examples and on generated ones, kept only if nothing is lost.

The update is judged on generated examples that no update trains on. Where it gets fewer of them right than the network
without adapter, by more than a tolerance, the adapter is returned as it was. The same seed gives the same update.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

import numpy as np
import torch

from cwm_agent.engine.network import Network
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.adaptation.low_rank import AdaptedNetwork, Adapter, AdapterShape
from cwm_agent.training.adaptation.replay_examples import held_out_examples, replay_examples
from cwm_agent.training.exactness import judge
from cwm_agent.training.example import Example
from cwm_agent.training.objective import losses
from cwm_agent.training.packing import fill_rows, fits, pack


@dataclass(frozen=True, slots=True)
class UpdateRecipe:
    """The size of an update; every default stands here."""

    shape: AdapterShape = field(default_factory=AdapterShape)
    steps: int = 4
    """Optimiser steps of one update."""
    new_examples: int = 6
    """New examples of one step, drawn from all that are remembered."""
    replayed: int = 8
    """Generated examples of one step."""
    length: int = 384
    """Tokens of a packed row; longer examples are left out."""
    rate: float = 2e-3
    clip: float = 1.0
    checked: int = 48
    """Generated examples on which an update is judged."""
    tolerance: int = 1
    """How many fewer of these may be right than without adapter."""


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What one update did."""

    kept: bool
    new: int
    """New examples that the update was for."""
    new_before: int
    """How many of these were answered exactly before the update."""
    new_after: int
    checked_before: int
    """Generated examples that the network without adapter answers exactly."""
    checked_after: int
    seconds: float


class Updater:
    """Updates one adapter of one network; the network itself is never changed."""

    def __init__(self, network: Network, adapter: Adapter, recipe: UpdateRecipe) -> None:
        self.recipe, self.adapter = recipe, adapter
        self._network, self._adapted = network, AdaptedNetwork(network, adapter)

    @cached_property
    def _checked(self) -> list[Example]:
        return [each for each in held_out_examples(self.recipe.checked) if fits(each, self.recipe.length)]

    @cached_property
    def _right_before(self) -> int:
        """Generated examples that the network without adapter answers exactly."""
        return self._right(self._checked, self._network)

    def update(self, new: Sequence[Example], remembered: Sequence[Example], seed: int) -> UpdateReport:
        """Train the adapter on new, remembered and generated examples; it stays as it was if too much would be lost.

        Every step draws its examples from the new ones first; examples that are longer than a row are left out.
        """
        began = time.monotonic()
        own, earlier = ([each for each in group if fits(each, self.recipe.length)] for group in (new, remembered))
        before = {name: value.clone() for name, value in self.adapter.state_dict().items()}
        new_before = self._right(own)
        if own:
            self._train(own, earlier, seed)
        new_after, checked = self._right(own), self._right(self._checked)
        kept = checked >= self._right_before - self.recipe.tolerance
        if not kept:
            self.adapter.load_state_dict(before)
        seconds = time.monotonic() - began
        return UpdateReport(kept, len(own), new_before, new_after, self._right_before, checked, seconds)

    def _train(self, own: Sequence[Example], earlier: Sequence[Example], seed: int) -> None:
        recipe, rng = self.recipe, Random(seed)
        replayed = replay_examples(rng.randrange(2**32), recipe.steps * recipe.replayed)
        parameters = list(self.adapter.parameters())
        optimiser = torch.optim.Adam(parameters, lr=recipe.rate, betas=(0.9, 0.95))
        for step in range(recipe.steps):
            drawn = _drawn(own, earlier, recipe.new_examples, rng)
            batch = [*drawn, *replayed[step * recipe.replayed : (step + 1) * recipe.replayed]]
            loss = losses(
                self._adapted, self._fields(batch), query_weight=0.0, kernel="sdpa", dtype=torch.float32
            ).weighted
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(parameters, recipe.clip)
            optimiser.step()

    def _fields(self, batch: Sequence[Example]) -> torch.Tensor:
        length = self.recipe.length
        fitting = [each for each in batch if fits(each, length)]
        rows = [pack(held, length, BYTES) for held in fill_rows(fitting, length)]
        return torch.from_numpy(np.stack(rows, axis=1)).to(next(self.adapter.parameters()).device)

    def _right(self, examples: Sequence[Example], network: Network | None = None) -> int:
        asked = self._adapted if network is None else network
        verdicts = judge(asked, examples, length=self.recipe.length, batch=8, dtype=torch.float32)
        return sum(verdict.right for verdict in verdicts)


def _drawn(own: Sequence[Example], earlier: Sequence[Example], count: int, rng: Random) -> list[Example]:
    """The examples of one step that are not generated: two thirds new ones where there are earlier ones too."""
    remembered = rng.sample(earlier, min(len(earlier), count // 3))
    return [*rng.sample(own, min(len(own), count - len(remembered))), *remembered]

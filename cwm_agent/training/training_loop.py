"""The training loop: trains a network on batches until the time is over; knows no source and no file.

The accelerator works one step ahead: the loop reads the losses of a step after it has started the next one. So there is
no gap between steps, and the measured time is right.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cwm_agent.engine.attention import BLOCK, Kernel
from cwm_agent.engine.network import Network, linear
from cwm_agent.training.data_feed import Feed, Rows
from cwm_agent.training.hard_examples import HardExamples
from cwm_agent.training.objective import Losses, losses
from cwm_agent.training.optimiser import Optimiser
from cwm_agent.training.packing import Row
from cwm_agent.training.recipe import BadRecipe, Recipe
from cwm_agent.training.rounded_products import rounded_product
from cwm_agent.training.training_progress import LossTally, TrainingProgress

Report = Callable[[str], None]
Compute = Callable[[Tensor], Losses]


class DivergedError(RuntimeError):
    """The loss is not finite."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Device, type, attention kernel and compilation of a run."""

    device: torch.device
    dtype: torch.dtype
    kernel: Kernel
    compiled: bool


def device_of(recipe: Recipe) -> torch.device:
    """The device of the recipe; for `auto` an accelerator if there is one."""
    if recipe.device != "auto":
        return torch.device(recipe.device)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def machines(recipe: Recipe) -> list[Machine]:
    """The ways to run the recipe on this machine, best first; several only if the recipe says `auto`."""
    device = device_of(recipe)
    fast = device.type == "cuda"
    bf16 = recipe.precision == "bf16" or (recipe.precision == "auto" and fast)
    compiled = fast if recipe.compiled is None else recipe.compiled
    plain = Machine(device, torch.bfloat16 if bf16 else torch.float32, "sdpa", compiled)
    blocks = replace(plain, kernel="flex")
    if recipe.attention == "flex":
        if recipe.data_mix.length % BLOCK:
            raise BadRecipe(f"--attention flex needs rows of a multiple of {BLOCK} tokens; change --length.")
        return [blocks]
    if recipe.attention == "sdpa" or not fast:
        return [plain]
    return [blocks, plain] if not compiled else [blocks, plain, replace(plain, compiled=False)]


class TrainingStep(NamedTuple):
    """What a step leaves on the device."""

    figures: Tensor
    """Weighted loss, answer loss, share of exact tokens, norm of the gradient."""
    wrong: Tensor
    """As in `Losses`."""


class Trainer:
    """A network, its optimiser and the compiled step between them."""

    def __init__(self, network: Network, recipe: Recipe, machine: Machine) -> None:
        self.network, self.machine = network, machine
        network.product = rounded_product if recipe.rounded else linear
        self.optimiser = Optimiser(
            network,
            rate=recipe.rate,
            adam_rate=recipe.adam_rate,
            weight_decay=recipe.weight_decay,
            clip=recipe.clip,
            compiled=machine.compiled,
        )

        def compute(fields: Tensor) -> Losses:
            return losses(network, fields, query_weight=recipe.query_weight, kernel=machine.kernel, dtype=machine.dtype)

        self.compute: Compute = torch.compile(compute, dynamic=False) if machine.compiled else compute

    def load(self, rows: Rows) -> Tensor:
        """The rows on the device; the copy runs beside the computation."""
        tensor = torch.from_numpy(np.ascontiguousarray(rows))
        if self.machine.device.type == "cuda":
            tensor = tensor.pin_memory()
        return tensor.to(self.machine.device, non_blocking=True)

    def step(self, fields: Tensor, factor: float) -> TrainingStep:
        """One update; runs asynchronously."""
        found = self.compute(fields)
        found.weighted.backward()  # type: ignore[no-untyped-call]
        norm = self.optimiser.step(factor)
        figures = torch.stack([found.weighted.detach(), found.answer.detach(), found.exact, norm])
        return TrainingStep(figures, found.wrong)

    def agreement(self, fields: Tensor) -> tuple[float, float]:
        """Answer loss by the kernel of this trainer and by the plain one, on the same rows."""
        own = self.compute(fields).answer.item()
        with torch.no_grad():
            plain = losses(self.network, fields, query_weight=0.0, kernel="sdpa", dtype=self.machine.dtype)
        return own, plain.answer.item()


def start(network: Network, recipe: Recipe, first: Rows, report: Report) -> Trainer:
    """A trainer on the best machine setting that works, after one step with learning rate 0."""
    ways = machines(recipe)
    for number, machine in enumerate(ways, start=1):
        started = time.monotonic()
        trainer = Trainer(network, recipe, machine)
        try:
            trainer.step(trainer.load(first), 0.0).figures.tolist()
        except Exception as error:
            if number == len(ways):
                raise
            report(
                f"{machine.kernel} attention fails here, trying another way: {type(error).__name__}: {str(error)[:900]}"
            )
            network.zero_grad(set_to_none=True)
            torch._dynamo.reset()
        else:
            kind = "compiled" if machine.compiled else "plain"
            took = time.monotonic() - started
            report(f"first step ({kind}, {machine.kernel}, {machine.dtype}, {machine.device}) took {took:.1f} s")
            return trainer
    raise AssertionError("every machine either returned or raised")


def train(
    network: Network,
    recipe: Recipe,
    feed: Feed,
    *,
    report: Report,
    started: float,
    save: Callable[[], None] = lambda: None,
    checkpoint: Callable[[float], None] = lambda _: None,
    restore: Callable[[Trainer], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Trainer, TrainingProgress]:
    """Train the network in place for the time of the recipe.

    Calls `save` every two minutes and `checkpoint` with each share of the time that the recipe names, once it is over.
    """
    trainer = start(network, recipe, feed.next(), report)
    restore(trainer)
    begun = clock()
    seconds = recipe.seconds if recipe.deadline is None else min(recipe.seconds, started + recipe.deadline - begun)
    report(f"training for {seconds:.0f} s")
    tally = LossTally(begun, seconds, recipe.batch * recipe.data_mix.length)
    saved, coming = begun, sorted(recipe.checkpoints, reverse=True)
    for found, waited in _steps(trainer, recipe, feed, begun=begun, seconds=seconds, clock=clock):
        tally = tally.add(found, waited)
        if not math.isfinite(found[0]):
            raise DivergedError(
                f"The loss became {found[0]} at step {tally.total.steps}; lower --lr (now {recipe.rate})."
            )
        if line := tally.line(clock()):
            report(line)
            tally = tally.renew(clock())
        if clock() - saved > 120:
            save()
            saved = clock()
        while coming and clock() - begun >= coming[-1] * seconds:
            checkpoint(coming.pop())
    for share in reversed(coming):
        checkpoint(share)
    return trainer, tally.end(clock())


def _steps(
    trainer: Trainer, recipe: Recipe, feed: Feed, *, begun: float, seconds: float, clock: Callable[[], float]
) -> Iterator[tuple[list[float], float]]:
    """The results of each step, one step late, and the seconds its batch was waited for; until the time is over."""
    hard = HardExamples(recipe.data_mix.length, recipe.data_mix.seed)
    batches = _batches(recipe, feed, hard)
    pending: tuple[TrainingStep, Rows, float] | None = None
    while (passed := (clock() - begun) / seconds if seconds > 0 else 1.0) < 1:
        waiting_since = clock()
        rows = next(batches)
        waited = clock() - waiting_since
        found = trainer.step(trainer.load(rows), recipe.factor(passed))
        if pending is not None:
            yield _read(pending, recipe, hard)
        pending = found, rows, waited
    if pending is not None:
        yield _read(pending, recipe, hard)


def _read(pending: tuple[TrainingStep, Rows, float], recipe: Recipe, hard: HardExamples) -> tuple[list[float], float]:
    """Wait for a step, and keep the examples that it got wrong."""
    found, rows, waited = pending
    if recipe.hard_rows:
        hard.note(rows, found.wrong.cpu().numpy())
    return found.figures.tolist(), waited


def _batches(recipe: Recipe, feed: Feed, hard: HardExamples) -> Iterator[Rows]:
    """Batches of fresh rows and, where enough hard examples wait, of rows that show them again."""
    fresh: list[Row] = []
    while True:
        again = hard.rows(recipe.hard_rows)
        while len(fresh) + len(again) < recipe.batch:
            fresh.extend(feed.next().swapaxes(0, 1))
        yield np.stack([*fresh[: recipe.batch - len(again)], *again], axis=1)
        del fresh[: recipe.batch - len(again)]

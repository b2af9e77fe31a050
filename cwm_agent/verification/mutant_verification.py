"""Verifies one-edit mutants of repair tasks: the programs about which a repair asks an oracle.

Every mutant is drawn with the same probability, so plain shares over the drawn ones estimate those over all; the order
is random, so that the mutants done at an early stop are a fair sample too. Intervals come from a bootstrap over whole
tasks, because mutants of one program are alike. Knows no planner: likely edits count as much as others.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random

from cwm_agent import defaults
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.oracles.protocol import MarkovView
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.verification.rollout_tally import RolloutTally, roll
from cwm_agent.verification.statistics.exact_intervals import widened
from cwm_agent.verification.statistics.survival import bootstrap
from cwm_agent.verification.step_accuracy import Case, Count, StepCounts, count_steps
from cwm_agent.verification.task_files import Figures, NothingToVerify, Rows, opened, tasks_of, test_cases
from cwm_agent.verification.verify_jobs import VerifiedChunk, VerifyWork, in_order, parts
from envs.domains.evaluation import Evaluator
from envs.editing.edit import Edit
from envs.editing.edit_generation import edits
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from tasks import RepairTask
from tasks.output.terminal_text import print_text

STEPS = defaults.MUTANT_STEPS
"""Most steps of a call: mutants that do not terminate would otherwise outweigh all others."""
_AT_ONCE = 16
"""Number of mutants that are run and judged together."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A task's program with one edit."""

    task: RepairTask
    number: int
    """Number of the edit, in the order of `envs.editing`."""
    edit: Edit

    @property
    def id(self) -> str:
        return f"{self.task.id}~{self.number}"


@dataclass(frozen=True, slots=True)
class MutantProgress:
    """Progress of a run, with the figures so far."""

    done: int
    drawn: int
    step_exact: float
    seconds: float
    remembered: float


def mutants_of(tasks: Sequence[RepairTask]) -> list[Mutant]:
    """Return every one-edit mutant of every task."""
    return [Mutant(task, number, edit) for task in tasks for number, edit in enumerate(edits(task.source))]


def drawn(mutants: Sequence[Mutant], count: int | None, seed: int) -> list[Mutant]:
    """Return `count` mutants (None: all) in random order, none twice; a larger draw begins with a smaller one."""
    order = list(mutants)
    Random(seed).shuffle(order)
    return order[:count]


def verify_mutants(
    path: str | Path,
    *,
    oracle: str = defaults.ORACLE,
    view: MarkovView = defaults.VIEW,
    guides: Sequence[str] = (defaults.GUIDE,),
    count: int | None = None,
    seed: int = 0,
    steps: int = STEPS,
    rows: Rows = "all",
    show_wrong: int = 0,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[MutantProgress], None] = lambda progress: None,
    placement: Placement = HERE,
) -> list[Figures]:
    """Return the figures over drawn mutants of a file's repair tasks, one entry for each guide.

    Once `stop` returns True no more are drawn; those under way are finished, so that long ones are not left out.
    """
    tasks = [task for task in tasks_of(path, rows) if isinstance(task, RepairTask)]
    if not tasks:
        raise NothingToVerify(
            f"{path} holds no repair task, so it has no mutants. Leave --mutants away to verify its calls."
        )
    everything = mutants_of(tasks)
    chosen = drawn(everything, count, seed)
    tallies = [RolloutTally(view, parse_guide(guide), steps) for guide in guides]
    work = _Work(chosen, StepCounts(), view, stop, told)
    if placement.is_here:
        with opened(oracle) as (cache, reality, sandbox):
            roll(work.cases(cache, _Workshop(reality, sandbox, steps)), tallies, cache)
        asked: CachedOracle | VerifiedChunk = cache
    else:
        run = partial(_mutant_cases, steps=steps)
        asked = work.verified(VerifyWork(oracle, view, tuple(guides), steps, run), tallies, placement)
    counts = work.counts
    for (question, answer), times in counts.wrong.most_common(show_wrong):
        print_text(f"{times} times asked\n{question}\nsaid\n{answer}\n")
    head = {"file": str(path), "rows": rows, "oracle": asked.name, "view": view, "remembered": asked.hit_rate}
    drawing = {"of": len(everything), "drawn": work.done, "seed": seed, **_by_task(counts, seed)}
    return [
        {**head, "guide": tally.guide.name, **asdict(tally.measured(counts)), "mutants": drawing} for tally in tallies
    ]


@dataclass(slots=True)
class _Work:
    """The drawn mutants, prepared one by one for their rollouts."""

    chosen: Sequence[Mutant]
    counts: StepCounts
    view: MarkovView
    stop: Callable[[], bool]
    told: Callable[[MutantProgress], None]
    done: int = 0

    def cases(self, oracle: CachedOracle, workshop: "_Workshop") -> Iterator[Case]:
        """Yield the calls of the mutants, run and with their single steps judged; the results are kept here."""
        began = time.monotonic()
        while self.done < len(self.chosen) and not self.stop():
            batch = self.chosen[self.done : self.done + _AT_ONCE]
            found = [case for mutant in batch for case in workshop.cases(mutant)]
            count_steps(found, oracle, self.view, self.counts)
            self.done += len(batch)
            seconds = time.monotonic() - began
            self.told(
                MutantProgress(self.done, len(self.chosen), self.counts.share(), seconds, remembered=oracle.hit_rate)
            )
            yield from found

    def verified(self, work: VerifyWork, tallies: list[RolloutTally], placement: Placement) -> VerifiedChunk:
        """Let workers verify the mutants, a batch each, and add up what they return."""
        began, whole = time.monotonic(), VerifiedChunk(tallies, self.counts)
        batches = (batch for batch in parts(self.chosen, _AT_ONCE) if not self.stop())
        for chunk in in_order(work, batches, placement):
            whole.add(chunk)
            self.done = min(len(self.chosen), self.done + _AT_ONCE)
            seconds = time.monotonic() - began
            self.told(MutantProgress(self.done, len(self.chosen), self.counts.share(), seconds, whole.hit_rate))
        return whole


_workshops: dict[int, "_Workshop"] = {}
"""The workshop of this worker process, by its reality."""


def _mutant_cases(mutants: Sequence[Mutant], reality: Reality, sandbox: Sandbox, *, steps: int) -> list[Case]:
    workshop = _workshops.setdefault(id(reality), _Workshop(reality, sandbox, steps))
    return [case for mutant in mutants for case in workshop.cases(mutant)]


def _by_task(counts: StepCounts, seed: int) -> Figures:
    """Return how `step_exact` varies over tasks: a bootstrap interval over tasks, and their plain mean."""
    groups = [[count] for count in counts.by_task.values()]
    if not groups:
        return {"tasks": 0, "steps": 0, "step_exact_interval": None, "step_exact_mean_of_tasks": None, "by_task": {}}
    interval = widened(bootstrap(groups, _pooled, Random(seed)), len(groups), 0.0, 1.0)
    return {
        "tasks": len(groups),
        "steps": sum(count.asked for count in counts.by_task.values()),
        "step_exact_interval": [interval.low, interval.high],
        "step_exact_mean_of_tasks": sum(count.share for count in counts.by_task.values()) / len(groups),
        "by_task": {task: {"right": count.right, "asked": count.asked} for task, count in counts.by_task.items()},
    }


def _pooled(counts: Sequence[Count]) -> float:
    return sum(count.right for count in counts) / max(1, sum(count.asked for count in counts))


class _Workshop:
    """Runs mutants: the verdicts of each program once, and the traces of its calls."""

    def __init__(self, reality: Reality, sandbox: Sandbox, steps: int) -> None:
        self._reality = reality
        self._sandbox = sandbox
        self._steps = steps
        self._known: dict[str, tuple[Evaluator, int]] = {}

    def cases(self, mutant: Mutant) -> list[Case]:
        """Return the mutant's calls with their real runs."""
        evaluator, steps = self._begun(mutant.task)
        source = mutant.edit.apply(mutant.task.source)
        marks = evaluator.run(source).marks
        return list(test_cases(mutant.id, source, mutant.task, marks, reality=self._reality, steps=steps))

    def _begun(self, task: RepairTask) -> tuple[Evaluator, int]:
        """Run the buggy program once; a mutant may take a little more than twice as long, as in a repair."""
        if task.id not in self._known:
            evaluator = Evaluator(task, self._sandbox)
            own = test_cases(
                task.id, task.source, task, evaluator.original.marks, reality=self._reality, steps=self._steps
            )
            ended = [len(case.real) for case in own if case.real and case.real.outcome.ending != "truncated"]
            longest = max(ended, default=self._steps)
            self._known[task.id] = evaluator, min(self._steps, 2 * longest + 100)
        return self._known[task.id]

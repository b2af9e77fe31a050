"""Learning in imagination on a family of repair tasks: repairs per real run with 0, 1, 4 and 16 imagined runs for each.

    python -m benchmarks.repair_dyna --out runs/repair-dyna --json OUT.json

The learner predicts from an edit's class, line and shape (the rows of RepairArrays-v0) the chance that it repairs its
program: logistic regression, one update for each run. It tries edits of one task after another, the best untried one
or, at times, any; an episode ends with a repair or after --budget runs. After each real run it makes k imagined ones,
in which an oracle says whether the tests pass. `dyna`: tries of any edits of tasks that it has met; `dream`: an
imagined episode of such a task by its own choice, cut after k runs, and the next one where it ends before. Reported
for each cell over seeds: repairs per real run while learning, the share of held-out tasks (bugs of the family in other
programs of the `dev` half) that its best edits repair within the budget, and the share of imagined runs that reality
would have judged otherwise, with 95 % bootstrap intervals. Noise has two seeds, by turns, and is systematic: each
candidate is imagined once. Each cell and seed is one line in --out; the same command goes on after them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.candidate_choice import difference
from benchmarks.dyna import opened
from benchmarks.repair_learning import Environments, sides
from benchmarks.repeated_runs import RepeatedRuns
from cwm_agent.agent.repair.beliefs import RolloutImaginer
from cwm_agent.imagination.guides import GROUNDED
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.rollouts.imagined_env import ImaginedEvaluator
from envs.domains.evaluation import Evaluator
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.array_features import Array
from envs.gym.repair_arrays import ROW
from tasks import RepairTask

EXPLORATION, RATE = 0.2, 0.2
LONGEST = 200
"""Steps of an imagined test; a longer one counts as failed."""
ORACLES = ("exact", "noisy:systematic:state=0.01", "noisy:systematic:state=0.05", "noisy:systematic:state=0.2")
MEASURES = ("reward", "held_out", "wrong")
SETTINGS = ("steps", "family", "most", "budget", "candidates")
"""Options in which the lines of one table agree."""


@dataclass(slots=True)
class TaskTries:
    """One task with its candidates: their rows, their programs, and what runs of them said."""

    rows: Array
    sources: list[str]
    evaluator: Evaluator
    _real: dict[int, bool] = field(default_factory=dict)

    def runs_well(self, number: int) -> bool:
        """Whether a candidate passes all tests for real."""
        if number not in self._real:
            self._real[number] = self.evaluator.run(self.sources[number]).solved
        return self._real[number]


@dataclass(slots=True)
class ImaginedTries:
    """What an oracle says about candidates; its answers do not change, so each candidate is imagined once."""

    imaginer: RolloutImaginer
    runs: int = 0
    wrong: int = 0
    _known: dict[tuple[int, int], bool] = field(default_factory=dict)

    def runs_well(self, task: TaskTries, number: int) -> bool:
        """Whether a candidate is imagined to pass all tests."""
        key = (id(task), number)
        if key not in self._known:
            imagined = ImaginedEvaluator(task.evaluator, self.imaginer)
            self._known[key] = imagined.run(task.sources[number]).solved
        self.runs += 1
        self.wrong += self._known[key] != task.runs_well(number)
        return self._known[key]


@dataclass(slots=True)
class RepairChances:
    """Logistic regression: the chance that a candidate repairs its program, from its row."""

    rng: Random
    weights: Array = field(default_factory=lambda: np.zeros(ROW, dtype=np.float32))

    def choose(self, task: TaskTries, tried: set[int], exploration: float = EXPLORATION) -> int:
        """An untried candidate: the likeliest, ties at random, or any with the probability of exploration."""
        left = [number for number in range(len(task.sources)) if number not in tried]
        if self.rng.random() < exploration:
            return self.rng.choice(left)
        scores = (task.rows[left] @ self.weights).tolist()
        best = max(scores)
        return left[self.rng.choice([at for at, score in enumerate(scores) if score == best])]

    def learn(self, row: Array, repairs: bool) -> None:
        """One step of gradient descent."""
        chance = 1 / (1 + np.exp(-float(row @ self.weights)))
        self.weights += RATE * (repairs - chance) * row


def task_tries(tasks: Sequence[RepairTask], options: argparse.Namespace, sandbox: Sandbox) -> list[TaskTries]:
    """The tasks with their candidates, best ranked first."""
    env = Environments(sandbox, options.budget, options.candidates).make(tasks)
    found = []
    for task in tasks:
        observation, _ = env.reset(seed=0, options={"task": task.id})
        rows = observation[: options.candidates * ROW].reshape(-1, ROW)[: len(env.shown)]
        edits = [env.real.edit_of(place) for place in env.shown]
        programs = [env.real.core.transition(env.real.state, edit).source for edit in edits]
        found.append(TaskTries(rows.copy(), programs, env.real.evaluator))
    return found


def imagine(learner: RepairChances, met: Sequence[TaskTries], dream: ImaginedTries, count: int, *, budget: int) -> None:
    """Imagined episodes of tasks that were met, by the learner's own choice; the last is cut after `count` runs."""
    left = count
    while left:
        task, tried = learner.rng.choice(met), set[int]()
        while left and len(tried) < min(budget, len(task.sources)):
            number = learner.choose(task, tried)
            tried.add(number)
            left -= 1
            repairs = dream.runs_well(task, number)
            learner.learn(task.rows[number], repairs)
            if repairs:
                break


def imagine_single(learner: RepairChances, met: Sequence[TaskTries], dream: ImaginedTries, count: int) -> None:
    """Single imagined runs of any candidates of tasks that were met."""
    for _ in range(count):
        task = learner.rng.choice(met)
        number = learner.rng.randrange(len(task.sources))
        learner.learn(task.rows[number], dream.runs_well(task, number))


def real_runs(learner: RepairChances, tasks: Sequence[TaskTries], budget: int) -> Iterator[tuple[TaskTries, bool]]:
    """Real runs without end, one task after another at random: the task and whether the candidate repaired it."""
    while True:
        task, tried = learner.rng.choice(tasks), set[int]()
        while len(tried) < min(budget, len(task.sources)):
            number = learner.choose(task, tried)
            tried.add(number)
            repairs = task.runs_well(number)
            learner.learn(task.rows[number], repairs)
            yield task, repairs
            if repairs:
                break


def learnt(
    sides: tuple[Sequence[TaskTries], Sequence[TaskTries]],
    dream: ImaginedTries | None,
    options: argparse.Namespace,
    *,
    mode: str,
    each: int,
    seed: int,
) -> dict[str, float]:
    """Learn for some real runs, then test the best edits of the held-out tasks."""
    training, testing = sides
    learner, met, repaired = RepairChances(Random(seed)), dict[int, TaskTries](), 0
    runs = real_runs(learner, training, options.budget)
    for _ in range(options.steps):
        task, repairs = next(runs)
        repaired += repairs
        met[id(task)] = task
        if dream is not None and mode == "dyna":
            imagine_single(learner, list(met.values()), dream, each)
        elif dream is not None:
            imagine(learner, list(met.values()), dream, each, budget=options.budget)
    solved = sum(is_repaired(learner, task, options.budget) for task in testing)
    wrong = dream.wrong / max(1, dream.runs) if dream else 0.0
    return {"reward": repaired / options.steps, "held_out": solved / len(testing), "wrong": wrong}


def is_repaired(learner: RepairChances, task: TaskTries, budget: int) -> bool:
    """Whether one of the best edits repairs a task within the budget."""
    tried = set[int]()
    for _ in range(min(budget, len(task.sources))):
        number = learner.choose(task, tried, 0.0)
        tried.add(number)
        if task.runs_well(number):
            return True
    return False


def summary(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each cell, over the seeds that it has."""
    cells = dict.fromkeys((line["oracle"], line["mode"], line["each"]) for line in lines)
    rows = []
    for oracle, mode, each in cells:
        own = [line for line in lines if (line["oracle"], line["mode"], line["each"]) == (oracle, mode, each)]
        measured = {key: difference([line[key] for line in own]) for key in MEASURES}
        rows.append({"oracle": oracle, "mode": mode, "each": each, "seeds": len(own), **measured})
    return rows


def measure(options: argparse.Namespace, known: Sequence[dict[str, Any]], sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """The line of each cell and seed that is not known yet; cells of one oracle share what it said."""
    done = {(line["oracle"], line["mode"], line["each"], line["seed"]) for line in known}
    training, testing = (task_tries(tasks, options, sandbox) for tasks in sides(options, sandbox))
    print(f"{len(training)} tasks to learn on, {len(testing)} to test on", flush=True)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    cells = [("none", 0, "none"), *product(options.oracle, options.each, options.mode)]
    dreams: dict[tuple[str, int], ImaginedTries | None] = {("none", 0): None, ("none", 1): None}
    for (oracle, each, mode), seed in product(cells, seeds):
        if (oracle, mode, each, seed) in done:
            continue
        if (oracle, seed % 2) not in dreams:
            dreams[oracle, seed % 2] = ImaginedTries(_imaginer(oracle, sandbox, seed % 2))
        dream = dreams[oracle, seed % 2]
        if dream is not None:
            dream.runs = dream.wrong = 0
        found = learnt((training, testing), dream, options, mode=mode, each=each, seed=seed)
        yield {"oracle": oracle, "mode": mode, "each": each, "seed": seed, **found}


def _imaginer(oracle: str, sandbox: Sandbox, seed: int) -> RolloutImaginer:
    return RolloutImaginer(CachedOracle(opened(oracle, sandbox, seed)), "local", GROUNDED, steps=LONGEST)


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn in every cell that is missing and print one row for each."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", nargs="+", default=ORACLES, metavar="NAME", help="exact, embedded, noisy:...")
    parser.add_argument("--mode", nargs="+", default=("dyna", "dream"), choices=("dyna", "dream"))
    parser.add_argument("--each", type=int, nargs="+", default=(1, 4, 16), help="imagined runs for each real one")
    parser.add_argument("--steps", type=int, default=120, help="real runs")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--family", default="constant-step")
    parser.add_argument("--most", type=int, default=1, help="tasks for each program")
    parser.add_argument("--budget", type=int, default=12, help="runs in an episode")
    parser.add_argument("--candidates", type=int, default=128)
    parser.add_argument("--out", type=Path, required=True, help="file with one line for each cell and seed")
    parser.add_argument("--json", type=Path, help="file for the table")
    options = parser.parse_args(arguments)
    options.validation = True
    if any(":iid:" in name for name in options.oracle):
        parser.error("Errors that are drawn anew (noisy:iid) are not measured here; choose noisy:systematic.")
    settings = {name: getattr(options, name) for name in SETTINGS}
    lines = options.out.read_text(encoding="utf-8").splitlines() if options.out.exists() else []
    known = [line for line in map(json.loads, lines) if settings.items() <= line.items()]
    with RepeatedRuns() as sandbox, options.out.open("a", encoding="utf-8") as file:
        for line in measure(options, known, sandbox):
            file.write(json.dumps(line | settings) + "\n")
            file.flush()
            print(json.dumps(line), flush=True)
            known.append(line)
    rows = summary(known)
    for row in rows:
        print(json.dumps(row))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

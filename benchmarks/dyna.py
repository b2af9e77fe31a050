"""Learning in imagination: reward per real step with 0, 1, 4 and 16 imagined steps for each real one.

    python -m benchmarks.dyna --jobs 16 --json OUT.json

Tabular Q-learning on permutations (5 items, horizon 8). After each real step the learner makes k imagined ones, in
which an oracle says where a command leads. Two ways to imagine: `dyna` (Sutton's Dyna-Q: a random command in a state
that was really visited, one step) and `dream` (as Dreamer does: whole episodes by the learner's own policy, each step
from the imagined state before it, so errors add up). Oracles: exact, made wrong at 1 to 20 % of the steps
(systematically: the same question is always answered the same wrong way; or iid: each answer anew), and the embedded
model. Reported for each cell over seeds: mean reward per real step, the share of all 119 starts from which the greedy
policy reaches the goal for real after the last step, and the share of imagined steps that were wrong, each with a 95 %
bootstrap interval.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations, product
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.candidate_choice import difference
from cwm_agent.agent.permutation.permutation_model import ImaginedPermutation
from cwm_agent.jobs.function_calls import map_calls
from cwm_agent.jobs.placement import Placement
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from envs.domains.permutation_commands import Arrangement
from envs.domains.permutation_core import PermutationCore
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality

ITEMS, HORIZON, PRICE = 5, 8, 0.01
GOAL = tuple(range(ITEMS))
STARTS = [start for start in permutations(GOAL) if start != GOAL]
RATE, DISCOUNT, EXPLORATION = 0.5, 0.95, 0.1
ORACLES = (
    "exact",
    *(f"noisy:{kind}:state={rate}" for kind in ("systematic", "iid") for rate in (0.01, 0.05, 0.1, 0.2)),
    "embedded",
)


@dataclass(slots=True)
class Imagination:
    """Where an oracle says that a command leads; answers that repeat are kept."""

    oracle: Oracle
    repeats: bool
    _known: dict[tuple[Arrangement, int], Arrangement | None] = field(default_factory=dict)

    steps: int = 0
    wrong: int = 0
    """Imagined steps that reality would have answered otherwise."""
    here: tuple[Arrangement, int] | None = None
    """The imagined state of an episode under way, and its length."""

    def step(self, state: Arrangement, action: int) -> Arrangement | None:
        """The imagined state after a command; None where the oracle gives no arrangement of items."""
        core = PermutationCore(state, GOAL)
        if (state, action) not in self._known or not self.repeats:
            world = ImaginedPermutation(core, self.oracle)
            (found,) = world.step([(world.start(), core.commands[action])], Random(0))
            self._known[state, action] = found.state.arrangement
        after = self._known[state, action]
        self.steps += 1
        self.wrong += after != core.commands[action].apply(state)
        return after


@dataclass(slots=True)
class Learner:
    """Tabular Q-learning."""

    rng: Random
    actions: int
    values: dict[Arrangement, list[float]] = field(default_factory=dict)

    def of(self, state: Arrangement) -> list[float]:
        return self.values.setdefault(state, [0.0] * self.actions)

    def act(self, state: Arrangement, exploration: float = EXPLORATION) -> int:
        """The action with the highest value, ties at random; a random one with the probability of exploration."""
        if self.rng.random() < exploration:
            return self.rng.randrange(self.actions)
        values = self.of(state)
        return self.rng.choice([at for at, value in enumerate(values) if value == max(values)])

    def learn(self, state: Arrangement, action: int, after: Arrangement | None) -> float:
        """Update the value of a step and return its reward; an unknown state ends the episode without one."""
        reward = float(after == GOAL) - PRICE
        follow = 0.0 if after is None or after == GOAL else max(self.of(after))
        values = self.of(state)
        values[action] += RATE * (reward + DISCOUNT * follow - values[action])
        return reward


def is_arrangement(state: Arrangement) -> bool:
    return sorted(state) == list(GOAL)


def imagined_steps(
    learner: Learner, dream: Imagination, visited: Sequence[Arrangement], count: int, *, mode: str
) -> None:
    """Make some imagined steps: single ones from visited states, or episodes that begin there."""
    for _ in range(count):
        if mode == "dyna":
            state, action = learner.rng.choice(visited), learner.rng.randrange(learner.actions)
            learner.learn(state, action, dream.step(state, action))
            continue
        state, length = dream.here or (learner.rng.choice(visited), 0)
        action = learner.act(state)
        after = dream.step(state, action)
        learner.learn(state, action, after)
        over = length + 1 == HORIZON or after is None or after == GOAL or not is_arrangement(after)
        dream.here = None if over or after is None else (after, length + 1)


def trained(oracle: Oracle | None, *, repeats: bool, mode: str, each: int, steps: int, seed: int) -> dict[str, float]:
    """Learn for some real steps; the reward per step, and the share of starts that the greedy policy solves."""
    rng = Random(seed)
    commands = PermutationCore(STARTS[0], GOAL).commands
    learner = Learner(rng, len(commands))
    dream = None if oracle is None else Imagination(oracle, repeats)
    state, length, total = rng.choice(STARTS), 0, 0.0
    visited: dict[Arrangement, None] = {}
    for _ in range(steps):
        visited[state] = None
        action = learner.act(state)
        after = commands[action].apply(state)
        total += learner.learn(state, action, after)
        length += 1
        state, length = (rng.choice(STARTS), 0) if after == GOAL or length == HORIZON else (after, length)
        if dream is not None and each:
            imagined_steps(learner, dream, list(visited), each, mode=mode)
    goals = sum(reaches(learner, start, commands) for start in STARTS) / len(STARTS)
    wrong = dream.wrong / max(1, dream.steps) if dream else 0.0
    return {"reward": total / steps, "goals": goals, "wrong": wrong}


def reaches(learner: Learner, state: Arrangement, commands: Sequence[Any]) -> bool:
    """Whether the greedy policy reaches the goal for real."""
    for _ in range(HORIZON):
        state = commands[learner.act(state, 0.0)].apply(state)
        if state == GOAL:
            return True
    return False


def cell(name: str, mode: str, each: int, steps: int, *, seed: int) -> dict[str, Any]:
    """One run; `none` learns from real steps alone."""
    found: dict[str, Any] = {"oracle": name, "mode": mode, "each": each, "seed": seed}
    if not each:
        return found | trained(None, repeats=True, mode=mode, each=0, steps=steps, seed=seed)
    with Sandbox() as sandbox:
        oracle = opened(name, sandbox, seed)
        return found | trained(oracle, repeats=":iid:" not in name, mode=mode, each=each, steps=steps, seed=seed)


def opened(name: str, sandbox: Sandbox, seed: int) -> Oracle:
    """The oracle of a name; a noisy one errs over cached exact answers, so that drawing errors anew costs no run."""
    if not name.startswith("noisy:"):
        return CachedOracle(oracle_named(name, lambda: Reality(sandbox)))
    _, kind, rate = name.split(":")
    exact = CachedOracle(oracle_named("exact", lambda: Reality(sandbox)))
    return NoisyOracle(exact, Rates(state=float(rate.removeprefix("state="))), kind, seed=seed)  # type: ignore[arg-type]


def _measured_cell(job: tuple[Any, ...]) -> Any:
    return cell(*job[:-1], seed=job[-1])


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn in every cell and print one row for each."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", nargs="+", default=ORACLES, metavar="NAME")
    parser.add_argument("--mode", nargs="+", default=("dyna", "dream"))
    parser.add_argument("--each", type=int, nargs="+", default=(1, 4, 16), help="imagined steps for each real one")
    parser.add_argument("--steps", type=int, default=1_000, help="real steps")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    cells = [("none", "dyna", 0), *product(options.oracle, options.mode, options.each)]
    jobs = [(*each, options.steps, seed) for each in cells for seed in range(options.seeds)]
    rows = []
    found = map_calls(_measured_cell, jobs, Placement(options.jobs))
    for name, mode, each in cells:
        runs = list(islice(found, options.seeds))
        measured = {key: difference([row[key] for row in runs]) for key in ("reward", "goals", "wrong")}
        rows.append({"oracle": name, "mode": mode, "each": each, "seeds": len(runs), **measured})
        print(json.dumps(rows[-1]), flush=True)
    if options.json:
        given = {name: value for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

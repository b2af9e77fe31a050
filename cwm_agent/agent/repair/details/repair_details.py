"""What an episode of a repair holds for the report: program, tests, localisation, tree, and the frames imagined.

The frames are those of the runs that a reader asks about first: beliefs that proved wrong, the solution, the buggy
program, the best candidates that were not run. They are added until the limit of a task's details is reached.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cwm_agent.agent.episodes.episode_details import LONGEST_TEXT, LONGEST_VALUE, MOST_BYTES, rollout_row, size_of
from cwm_agent.agent.episodes.search_record import SearchNode, SearchRecord
from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.details.rollout_replay import RolloutReplay
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from envs.domains.evaluation import Evaluation
from envs.domains.repair_core import RepairState
from planners import End, Step
from tasks import RepairTask
from tasks.scripted_world import NO_WORLD
from tasks.task import Test

MOST_STEPS = 6_000
"""Steps of all imagined runs of a task that are kept; their number bounds the time it takes."""
LONGEST_RUN = 2_500
"""Steps of one of them."""
BEST_CANDIDATES = 6
"""Candidates that were not run, of which an imagined run is kept."""
_LETTERS = {True: "p", False: "f", None: "u"}


@dataclass(frozen=True, slots=True)
class RunCandidate:
    """A candidate that was run for real."""

    candidate: Candidate
    odds: float
    """Logarithm of its odds when it was chosen."""
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class RepairDetails:
    """Everything at the end of one task that the details are made from."""

    task: RepairTask
    world: ImaginedRepair
    original: Evaluation
    runs: Sequence[RunCandidate]
    replay: RolloutReplay

    def rows(self, record: SearchRecord) -> dict[str, Any]:
        """The details as JSON."""
        found: dict[str, Any] = {
            "kind": "repair",
            "program": {"source": self.task.source, "entry": self.task.entry},
            "tests": [_test_row(test) for test in self.task.tests],
            "before": {"marks": list(self.original.marks), "values": _short(self.original.values)},
            "suspicion": [[line, round(value, 4)] for line, value in sorted(self.world.suspicion.items())],
            "runs": [self._run_row(each) for each in self.runs],
            "tree": self._tree(record),
        }
        rollouts, missing = self._rollouts(MOST_BYTES - size_of(found) - 1_000)
        left_out = [f"frames of {missing} imagined runs: too long, or no longer in the cache"] if missing else []
        return {**found, "rollouts": rollouts, **({"left_out": left_out} if left_out else {})}

    def _run_row(self, run: RunCandidate) -> dict[str, Any]:
        beliefs = run.candidate.beliefs
        return {
            "odds": round(run.odds, 4) if any(beliefs) else None,
            "prior": round(run.candidate.prior, 6),
            "values": _short(run.evaluation.values),
            "imagined": [
                None if each is None else [each.value[:LONGEST_VALUE], round(each.confidence, 4)] for each in beliefs
            ],
        }

    def _tree(self, record: SearchRecord) -> dict[str, Any]:
        """The tree, with candidates that the domain proposed itself, and the beliefs of each as letters."""
        known = {node.state.source for node in record.nodes}
        beside = [each for source, each in self.world.seen.items() if source not in known]
        record.add_proposed((each.state.patch, self._step(each)) for each in beside)
        ran = {each.candidate.state.source for each in self.runs}
        for node in record.nodes:
            node.real = node.state.source in ran
            node.note = self._letters(node)
        return record.rows(lambda node: node.end == "goal" or "p" in node.note)

    def _step(self, candidate: Candidate) -> Step[RepairState]:
        """A candidate as a node of the tree; without priors of its own, which would take a policy's time."""
        end: End = "goal" if self.world.is_believed_solution(candidate) else "failure"
        return Step(candidate.state, value=self.world.expected_share(candidate), end=end)

    def _letters(self, node: SearchNode) -> str:
        """For each test p (believed to pass), f (to fail), u (unknown) or - (not imagined)."""
        candidate = self.world.seen.get(node.state.source)
        beliefs: Sequence[Belief | None] = candidate.beliefs if candidate else ()
        return "".join("-" if each is None else _LETTERS[each.passes] for each in beliefs)

    def _rollouts(self, room: int) -> tuple[list[dict[str, Any]], int]:
        """Imagined runs in the order of their importance, as far as they fit; and how many were wanted and did not."""
        found: list[dict[str, Any]] = []
        done: set[tuple[str, int]] = set()
        steps = missing = 0
        for candidate, at in self._wanted():
            belief = candidate.beliefs[at] if candidate.beliefs else None
            if (candidate.state.source, at) in done or (belief is not None and not belief.steps):
                continue
            done.add((candidate.state.source, at))
            row = None
            if steps + (belief.steps if belief else 0) <= MOST_STEPS:
                row = self._rollout_row(candidate, at, belief)
            if row is None or size_of(row) > room:
                missing += 1
                continue
            found.append(row)
            room -= size_of(row)
            steps += len(row["marks"])
        return found, missing

    def _wanted(self) -> Iterator[tuple[Candidate, int]]:
        """Candidates and tests, the most telling first."""
        failing = [at for at, mark in enumerate(self.original.marks) if not mark]
        buggy = Candidate(self.world.core.initial(), (), 1.0)
        for run in reversed(self.runs):
            marks = run.evaluation.marks
            for at, belief in enumerate(run.candidate.beliefs):
                if belief is not None and belief.passes is not None and belief.passes != marks[at]:
                    yield run.candidate, at
        yield from ((buggy, at) for at in failing[:2])
        for run in reversed(self.runs):
            yield from ((run.candidate, at) for at in failing[:2] if run.candidate.beliefs[at] is not None)
        yield from ((buggy, at) for at in range(min(4, len(self.original.marks))))
        ran = {run.candidate.state.source for run in self.runs}
        others = [each for source, each in self.world.seen.items() if source not in ran]
        for candidate in sorted(others, key=self.world.odds, reverse=True)[:BEST_CANDIDATES]:
            yield from ((candidate, at) for at in failing[:1] if candidate.beliefs[at] is not None)

    def _rollout_row(self, candidate: Candidate, at: int, belief: Belief | None) -> dict[str, Any] | None:
        test = self.task.tests[at]
        rollout = self.replay.rollout(candidate.state.source, self.task.entry, test, belief)
        if rollout is None or len(rollout.frames) > LONGEST_RUN:
            return None
        return {"patch": [str(edit) for edit in candidate.state.patch], "test": at, **rollout_row(rollout)}


def _test_row(test: Test) -> dict[str, Any]:
    row = {name: getattr(test, name) for name in ("arguments", "setup", "code", "expected") if getattr(test, name, "")}
    world: dict[str, Any] = getattr(test, "world", NO_WORLD).record()
    if any(len(text) > LONGEST_TEXT for text in (*row.values(), str(world))):
        return {name: text[:LONGEST_TEXT] for name, text in row.items()} | {"cut": True}
    return row | ({"world": world} if world else {})


def _short(values: Sequence[str]) -> list[str]:
    return [each[:LONGEST_VALUE] for each in values]

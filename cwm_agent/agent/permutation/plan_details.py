"""What an episode of a permutation problem holds for the report: the tree, and the imagined run of each plan that ran.

In the local view the whole program of a plan is imagined again from the answer cache alone, so nothing is asked or
charged; in the history view the rollout by which the plan was confirmed is kept; the program view caches no answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cwm_agent.agent.cached_replay import NOT_CACHED, AnswersFromCache
from cwm_agent.agent.episodes.episode_details import MOST_BYTES, rollout_row, size_of
from cwm_agent.agent.episodes.search_record import SearchRecord
from cwm_agent.agent.permutation.history_model import HistoryPermutation
from cwm_agent.agent.permutation.permutation_model import FRAMES_A_COMMAND, ImaginedPermutation
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import CachesAnswers
from envs.domains.permutation_commands import Command
from envs.execution.decompose.program import decomposed
from envs.execution.state.frames import Frame
from envs.execution.stepper.first_frame import first_frame

_RETURN = "the search ends before the return: the plan is judged by the frame after its last command"


@dataclass(frozen=True, slots=True)
class PlanDetails:
    """Makes the details of one problem from the world that was searched."""

    world: ImaginedPermutation | HistoryPermutation

    def rows(self, plans: Iterable[Sequence[Command]], record: SearchRecord) -> dict[str, Any]:
        """The details as JSON; `plans` are those that were carried out."""
        written = self.world.core.program(())
        found: dict[str, Any] = {
            "kind": "permutation",
            "call": {"entry": written.entry, "arguments": written.arguments},
            "goal": list(self.world.core.goal),
            "tree": record.rows(),
        }
        room, missing, rollouts = MOST_BYTES - size_of(found) - 1_000, 0, []
        for plan in plans:
            rollout = self._rollout(tuple(plan))
            row = None if rollout is None else self._row(plan, rollout)
            if row is None or size_of(row) > room:
                missing += 1
                continue
            rollouts.append(row)
            room -= size_of(row)
        why = "the program view caches no answers" if self._is_uncached() else "too long, or no longer in the cache"
        left_out = [f"the frames of imagined runs: {missing} plans, {why}"] if missing else []
        return {**found, "rollouts": rollouts, **({"left_out": left_out} if left_out else {})}

    def _is_uncached(self) -> bool:
        return isinstance(self.world, ImaginedPermutation) and self.world.view == "program"

    def _row(self, plan: Sequence[Command], rollout: Rollout | HistoryRollout) -> dict[str, Any]:
        head = {"patch": list(map(str, plan)), "source": self.world.core.program(plan).source}
        return {**head, **rollout_row(rollout)}

    def _rollout(self, plan: tuple[Command, ...]) -> Rollout | HistoryRollout | None:
        if isinstance(self.world, HistoryPermutation):
            return self.world.confirmed.get(plan)
        return self._repeated(self.world, plan)

    def _repeated(self, world: ImaginedPermutation, plan: tuple[Command, ...]) -> Rollout | None:
        """The plan's whole program, imagined from the cache; None where nothing of it is cached."""
        if self._is_uncached() or not isinstance(world.oracle, CachesAnswers):
            return None
        written = world.core.program(plan)
        program = decomposed(written.source, written.entry)
        frame = first_frame(program, written.arguments)
        assert isinstance(frame, Frame)
        start = RolloutStart(program, frame, steps=FRAMES_A_COMMAND * (len(plan) + 1))
        settings = RolloutSettings(world.view, guide=world.guide)
        [found] = imagine([start], AnswersFromCache(world.oracle), settings)
        if found.reason != NOT_CACHED:
            return found
        if program.origin[found.frames[-1].line - 1] == written.source.count("\n"):
            return replace(found, end="truncated", reason=_RETURN)
        return found if "imagined" in found.marks else None

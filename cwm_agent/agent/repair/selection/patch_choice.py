"""The choice of the patch at the end of a task: passing programs are run on varied inputs, the most natural one wins.

Holds what the choice showed, and turns it into the conclusion of the task. Knows no search.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from cwm_agent.agent.budget import Spending
from cwm_agent.agent.domain import Conclusion
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.selection.confidence import evidence_of, shipped_confidence
from cwm_agent.agent.repair.selection.result_differences import CallEnd
from cwm_agent.agent.repair.selection.second_look import SecondLook, Selection
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits

LEAST_FURTHER, MOST_FURTHER, FURTHER_SHARE = 16, 192, 5
"""Effort of imagining after a candidate passed: a fifth of the effort until then, within these bounds."""


def further_effort(effort: int) -> int:
    """The effort of imagining after a candidate passed; it does not depend on the clock."""
    return min(MOST_FURTHER, max(LEAST_FURTHER, effort // FURTHER_SHARE))


@dataclass(slots=True)
class PatchChoice:
    """The comparison of the programs that pass, and its result."""

    look: SecondLook
    sandbox: Sandbox
    limits: SandboxLimits
    executions: int = 0
    """Real executions on varied inputs so far."""
    selection: Selection | None = None
    """The choice, once it was made."""

    def choose(self, left: Callable[[], int]) -> Candidate:
        """The most natural program that passes; `left` says how many real executions may still be made."""
        self.look.add_ends([self._ends(each.candidate, left) for each in self.look.passing])
        self.selection = self.look.selected()
        return self.selection.program.candidate

    def _ends(self, candidate: Candidate, left: Callable[[], int]) -> tuple[CallEnd, ...]:
        """How a program's calls with varied inputs really end; nothing where the budget is spent."""
        if not self.look.calls.inputs or left() <= 0:
            return ()
        self.executions += 1
        return self.look.calls.ends(candidate.state.source, self.sandbox, self.limits)

    def concluded(
        self, found: Conclusion, marks: Sequence[bool | None], spending: Spending, *, known: bool
    ) -> Conclusion:
        """The conclusion with what the comparison showed; a confidence where all its evidence is `known`."""
        selection = self.selection
        if selection is None:
            return found
        evidence = evidence_of(selection, marks, executions=spending.executions, candidates=spending.imagined)
        return replace(
            found,
            difference=asdict(selection.difference) if selection.difference else {},
            evidence=evidence,
            confidence=shipped_confidence().chance(evidence) if known else None,
        )

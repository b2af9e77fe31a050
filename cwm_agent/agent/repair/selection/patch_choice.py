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
from envs.domains.inputs.argument_types import ArgumentTypes
from envs.domains.inputs.symbolic_inputs import SymbolicInputs
from envs.editing.class_priors import is_likely
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits

LEAST_FURTHER, MOST_FURTHER, FURTHER_SHARE = 16, 192, 5
"""Effort of imagining after a candidate passed: a fifth of the effort until then, within these bounds."""


def further_effort(effort: int, passing: Sequence[Candidate]) -> int:
    """The effort of imagining after a candidate passed; it does not depend on the clock.

    None where one likely edit passes: the likeliest edits beside it are imagined then (`likely_rivals.py`).
    """
    if all(len(each.state.patch) == 1 and is_likely(each.state.patch) for each in passing):
        return 0
    return min(MOST_FURTHER, max(LEAST_FURTHER, effort // FURTHER_SHARE))


@dataclass(slots=True)
class PatchChoice:
    """The comparison of the programs that pass, and its result."""

    look: SecondLook
    sandbox: Sandbox
    limits: SandboxLimits
    types: ArgumentTypes = ()
    """Types of the entry's parameters, where the settings ask for inputs by type."""
    symbolic: SymbolicInputs | None = None
    """Finds inputs on which two programs differ, where the settings ask for it."""
    executions: int = 0
    """Real executions on inputs that no test has, symbolic ones included."""
    selection: Selection | None = None
    """The choice, once it was made."""

    def choose(self, left: Callable[[], int]) -> Candidate:
        """The most natural program that passes; `left` says how many real executions may still be made."""
        self.look.add_ends([self._ends(each.candidate, left) for each in self.look.passing])
        self.selection = self.look.selected()
        if self.selection.difference is None and (found := self._differing(left)):
            self.look.calls = replace(self.look.calls, inputs=(), functions=()).extended(found)
            self.look.add_ends([self._ends(each.candidate, left) for each in self.look.passing])
            self.selection = self.look.selected()
        return self.selection.program.candidate

    def _differing(self, left: Callable[[], int]) -> list[str]:
        """Inputs on which symbolic execution sees a passing program differ from the one that would be chosen.

        Each search is charged as one real execution: it runs both programs many times.
        """
        if self.symbolic is None or not self.types:
            return []
        chosen, entry, found = self.selected_source, self.look.task.entry, list[str]()
        for each in self.look.passing:
            source = each.candidate.state.source
            if source != chosen and left() > 0:
                self.executions += 1
                found += self.symbolic.differing(chosen, source, entry, self.types)
        return found

    @property
    def selected_source(self) -> str:
        """The program that was chosen."""
        assert self.selection is not None, "choose comes first"
        return self.selection.program.candidate.state.source

    def _ends(self, candidate: Candidate, left: Callable[[], int]) -> tuple[CallEnd, ...]:
        """How a program's calls with varied inputs really end; nothing where the budget is spent."""
        if not self.look.calls.questions or left() <= 0:
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

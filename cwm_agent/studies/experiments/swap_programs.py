"""Random swap programs and their real runs, the same for every view and guide. Knows no oracle."""

from dataclasses import dataclass
from random import Random
from typing import Literal

from cwm_agent.studies.workbench import Workbench
from envs.domains.permutation_core import PermutationCore
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.frames import Trace
from envs.execution.state.history_frames import History

Form = Literal["straight", "branching"]
FORMS: tuple[Form, ...] = ("straight", "branching")


@dataclass(frozen=True, slots=True)
class SwapProgram:
    """A program of random swaps, and the arguments of its call."""

    source: str
    arguments: str

    def traced(self, bench: Workbench) -> tuple[Program, Trace]:
        """The decomposed program and its real run, for the Markov views."""
        program = decomposed(self.source, "f")
        return program, bench.trace(program, self.arguments)

    def recorded(self, bench: Workbench, level: str) -> tuple[Program, History]:
        """The program, as written or decomposed, and its real run, for the history view."""
        program = plain(self.source, "f") if level == "plain" else decomposed(self.source, "f", level)
        return program, bench.history(program, self.arguments)


def swap_programs(form: Form, items: int, swaps: int, *, count: int, seed: int) -> list[SwapProgram]:
    """Programs of one length; a longer list starts with the programs of a shorter one."""
    rng = Random(f"{seed} {form} {items} {swaps}")
    found = []
    for _ in range(count):
        core = PermutationCore.drawn(rng, items=items, style=form)
        written = core.program(rng.choices(core.commands, k=swaps))
        found.append(SwapProgram(written.source, written.arguments))
    return found

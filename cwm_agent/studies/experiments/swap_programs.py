"""Random swap programs and their real runs, the same for every view and guide. Knows no oracle."""

from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from cwm_agent.imagination.view_adapters import Level, adapter_of
from cwm_agent.oracles.protocol import View
from cwm_agent.studies.workbench import Workbench
from envs.domains.permutation_core import PermutationCore
from envs.execution.decompose.program import Program

Form = Literal["straight", "branching"]
FORMS: tuple[Form, ...] = ("straight", "branching")


@dataclass(frozen=True, slots=True)
class SwapProgram:
    """A program of random swaps, and the arguments of its call."""

    source: str
    arguments: str

    def run(self, bench: Workbench, view: View, level: Level = "plain") -> tuple[Program, Any]:
        """The program as a view shows it, and its real run; `level` counts where the view takes one."""
        program = adapter_of(view).program(self.source, "f", level)
        return program, bench.run(view, program, self.arguments)


def swap_programs(form: Form, items: int, swaps: int, *, count: int, seed: int) -> list[SwapProgram]:
    """Programs of one length; a longer list starts with the programs of a shorter one."""
    rng = Random(f"{seed} {form} {items} {swaps}")
    found = []
    for _ in range(count):
        core = PermutationCore.drawn(rng, items=items, style=form)
        written = core.program(rng.choices(core.commands, k=swaps))
        found.append(SwapProgram(written.source, written.arguments))
    return found

"""Which lines can follow a line, from the control-flow graph of a decomposed program."""

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.syntax.control_flow_graph import control_flows


class Successors:
    """The lines that can follow each line inside one function; silent lines are passed over."""

    def __init__(self, program: Program) -> None:
        self._layout = program.layout
        self._after: dict[int, frozenset[int]] = {}
        for graph in control_flows(program.source, silent=program.level != "plain").values():
            for line in graph.nodes:
                if isinstance(line, int):
                    self._after[line] = frozenset(each for each in graph.successors(line) if isinstance(each, int))

    @staticmethod
    @bounded_cache(16 * MIB, per_character=100)
    def of(program: Program) -> "Successors":
        return Successors(program)

    def after(self, line: int) -> frozenset[int]:
        return self._after.get(line, frozenset())

    def is_step(self, line: int, here: int) -> bool:
        """Whether a line is a step of the function that contains the line `here`."""
        place, origin = self._layout.places.get(line), self._layout.places.get(here)
        return line in self._after and place is not None and origin is not None and place.function == origin.function

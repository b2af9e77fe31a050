"""Notes behind the lines of a program that name their jump targets, as in an assembler's listing.

    12     if _4: ->38          to 38 if the condition does not hold
    19         x = x + 1 ->14   the end of a loop's body: back to its header

A line that only leads to the one below has no note; notes do not name the target of an exception. They follow from the
syntax alone: nothing is run and no value is known, so they do not tell which target is taken.
"""

from itertools import pairwise

from envs.execution.decompose.program import Program
from envs.execution.syntax.control_flow_graph import flow_of


def jumps(program: Program) -> dict[int, str]:
    """Return the notes by line number."""
    notes: dict[int, str] = {}
    for node in program.layout.functions.values():
        after = flow_of(node, silent=program.level != "plain").after
        steps = sorted(line for line in after if isinstance(line, int))
        below = dict(pairwise(steps))
        for line in steps:
            far = [
                target
                for target, conditions in after[line].items()
                if isinstance(target, int) and target != below.get(line) and conditions != ["exception"]
            ]
            if far:
                notes[line] = " ->" + ",".join(map(str, sorted(far)))
    return notes

"""Where the lines of a program may jump, as notes behind them: an assembler's listing names its targets too.

    12     if _4: ->38          to 38 where the condition does not hold
    19         x = x + 1 ->14   the end of a loop's body: back to its header

A line that only ever leads to the one below has no note; where an exception leads is no part of it. Follows from the
syntax alone: nothing is run, no value is known, and which of the ways is taken remains the question.
"""

from itertools import pairwise

from envs.execution.decompose.program import Program
from envs.execution.syntax.control_flow_graph import flow_of


def jumps(program: Program) -> dict[int, str]:
    """Notes by line number."""
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

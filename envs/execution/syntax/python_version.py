"""What CPython 3.11, 3.12 and 3.13 do differently in ways that a run shows; every other module asks here.

The decomposer, the tracer and the stepper follow the interpreter that runs them, so that a decomposed program behaves
as the original does there. `docs/execution.md` lists all differences, with those that need no code.
"""

import dis
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import CodeType, MappingProxyType

COMPENSATED_SUM = sys.version_info >= (3, 12)
"""`sum` adds floats with a correction, so its result is not that of repeated addition."""

COMPREHENSIONS_INLINED = sys.version_info >= (3, 12)
"""Comprehensions run in the function around them: an unbound local inside is UnboundLocalError, not NameError.

Generator expressions keep a scope of their own.
"""

GROUPED_RUNS = sys.version_info >= (3, 13)
"""`sort` looks for runs of equal items too, so it compares other pairs."""

EQUAL_BY_FIELDS = sys.version_info >= (3, 13)
"""A dataclass compares one field after another, and no object with itself; before, it compared tuples of fields."""

REPR_IN_INDEX = sys.version_info < (3, 14)
"""`list.index` writes the value that it does not find."""

KEYS_IN_MESSAGES = sys.version_info >= (3, 14)
"""What cannot be hashed fails with other words as a key of a dict than elsewhere."""

DICT_IN_MESSAGES = sys.version_info >= (3, 13)
"""Setting a field that an object with slots cannot have says that it has no dict."""

REPORTS_LINES_AGAIN: bool = sys.version_info[:2] == (3, 12)
"""After a call of a Python function inside a line, its line is reported once more at places that jumps lead to."""

_YIELD, _RESUME = dis.opmap["YIELD_VALUE"], dis.opmap["RESUME"]
_ENTRY = "LOAD_FAST_AND_CLEAR"
"""How an inlined comprehension begins once its first iterable is made: it takes a variable of the function over."""
_Span = tuple[tuple[int, int], tuple[int, int]]
_NO_VARIABLES: Mapping[int, frozenset[str]] = MappingProxyType({})


def is_yield(code: CodeType, instruction: int) -> bool:
    """Whether a return event at this instruction is a `yield`; since 3.13 it comes at the instruction behind it."""
    opcodes = code.co_code
    return opcodes[instruction] == _YIELD or (
        opcodes[instruction] == _RESUME and instruction > 0 and opcodes[instruction - 2] == _YIELD
    )


@lru_cache(maxsize=1024)
def comprehension_variables(code: CodeType) -> Mapping[int, frozenset[str]]:
    """The instructions of inlined comprehensions, each with the variables that mean the comprehension's own there.

    Python reports lines for them, again with each element, and shows the variables among the function's. Before 3.12
    comprehensions were functions, and there are none. The first iterable belongs to the function itself.
    """
    if _ENTRY not in dis.opmap or dis.opmap[_ENTRY] not in code.co_code[::2]:
        return _NO_VARIABLES
    instructions = list(dis.get_instructions(code))
    spans = [_span(instruction) for instruction in instructions]
    entries = [at for at, instruction in enumerate(instructions) if instruction.opname == _ENTRY]
    ends = [*(instruction.offset for instruction in instructions[1:]), len(code.co_code)]
    found: dict[int, frozenset[str]] = {}
    for around in {spans[at] for at in entries}:
        own = [at for at in entries if spans[at] == around]
        names = frozenset(instructions[at].argval for at in own)
        for at in _body(spans, around, own):
            for offset in range(instructions[at].offset, ends[at], 2):  # a call stands at the end of its cache
                found[offset] = found.get(offset, frozenset()) | names
    return MappingProxyType(found)


@lru_cache(maxsize=1024)
def misreported_lines(code: CodeType) -> frozenset[int]:
    """The instructions whose line events do not say that control came to a line.

    These are all instructions of inlined comprehensions, and in 3.12 places inside a line that a jump leads to: there
    Python reports the line once more after a call of a function that is written in Python.
    """
    inside = frozenset(comprehension_variables(code))
    if not REPORTS_LINES_AGAIN:
        return inside
    instructions = list(dis.get_instructions(code))
    loops = {step.argval for step in instructions if "JUMP_BACKWARD" in step.opname}
    reached = {step.offset for step in instructions if step.is_jump_target and not step.starts_line}
    return inside | (reached - loops)


def _body(spans: Sequence[_Span], around: _Span, entries: Sequence[int]) -> set[int]:
    """Indices of all instructions of a comprehension, which stands several times in the code of a `finally`."""
    inside = {at for at, span in enumerate(spans) if around[0] <= span[0] and span[1] <= around[1]}
    # The optimiser may put an instruction of the function in front of the comprehension's last one.
    inside |= {at for at in range(len(spans)) if {at - 1, at + 1} <= inside}
    for at in entries:
        at -= 1
        while at in inside and at not in entries:  # the first iterable
            inside.remove(at)
            at -= 1
    return inside


def _span(instruction: dis.Instruction) -> _Span:
    """Where the source of an instruction begins and ends; nowhere if Python kept no positions."""
    place = instruction.positions or dis.Positions()
    return (place.lineno or 0, place.col_offset or 0), (place.end_lineno or 0, place.end_col_offset or 0)


_LISTED_IN_QUOTES: bool = sys.version_info[:2] >= (3, 12)


def abstract_message(owner: str, names: Sequence[str]) -> str:
    """What Python says where an object of an abstract class is to be made."""
    several = "s" if len(names) > 1 else ""
    if not _LISTED_IN_QUOTES:
        return f"Can't instantiate abstract class {owner} with abstract method{several} {', '.join(names)}"
    listed = ", ".join(map(repr, names))
    return f"Can't instantiate abstract class {owner} without an implementation for abstract method{several} {listed}"

"""Programs from templates whose slots are filled at random; knows the slots, not what the programs compute.

def f(nums: ints, k: small):       a kind of `inputs.py` behind each parameter chooses its arguments
    if x «<|>|==» k:               one of the alternatives
    y = x * «1-9»                  an integer from 1 to 9
    s = «word»                     a word, «char» a character, «text» a string, each as a literal
    z = «int x k w:str»            an expression of that type over the variables named (int by default)
    if «if x k»:                   a condition over them
    u = «a & b|a ¦ b»              alternatives may hold other slots; a bar inside one is written ¦
"""

import re
from dataclasses import dataclass
from random import Random

from cwm_agent.training.program_writer import inputs
from cwm_agent.training.program_writer.expression_writer import ExpressionWriter
from cwm_agent.training.program_writer.renaming import renamed
from cwm_agent.training.text_tables import read_table

PLAIN = ("numbers", "strings", "sequences", "mappings", "control", "recursion", "grids", "tables")
CLASSES = ("classes", "actors", "operators", "inheritance", "records", "links")
GENERATORS = ("generators", "streams", "coroutines")
NESTED = ("nesting",)
LIBRARY = ("containers", "iterators", "exact_numbers", "text_tools", "calendars", "everyday_tools")
FAMILIES = {
    name: tuple(read_table(f"templates/{name}").strip("\n").split("\n---\n"))
    for name in (*PLAIN, *CLASSES, *GENERATORS, *NESTED, *LIBRARY)
}
"""The templates by the kind of data or construct they work on."""
_SLOT = re.compile(r"«([^«»]*)»")
_RANGE = re.compile(r"(-?\d+)-(\d+)$")
_HEADER = re.compile(r"def f\((.*?)\):")
_BAR = "¦"
"""Written for a bar that does not separate alternatives."""
_LITERALS = ("word", "char", "text")


@dataclass(frozen=True, slots=True)
class FilledTemplate:
    """A program, with the kinds of arguments of its entry function."""

    source: str
    entry: str
    parameters: tuple[str, ...]


def fill(template: str, rng: Random) -> FilledTemplate:
    """Fill the slots of a template; variables are renamed in two of three cases."""
    source = template
    while "«" in source:
        source = _SLOT.sub(lambda match: _slot(match[1], rng), source)
    source, parameters = _without_kinds(source.replace(_BAR, "|"))
    if rng.random() < 0.33:
        return FilledTemplate(source, "f", parameters)
    source, entry = renamed(source, "f", rng)
    return FilledTemplate(source, entry, parameters)


def _slot(content: str, rng: Random) -> str:
    if span := _RANGE.match(content):
        return str(rng.randint(int(span[1]), int(span[2])))
    if content in _LITERALS:
        made = inputs.argument(rng, "str" if content == "text" else content)
        return made.replace("|", _BAR)
    first, _, rest = content.partition(" ")
    if first in ("int", "str", "if") and "|" not in content:
        return f"({_expression(first, rest, rng)})".replace("|", _BAR)
    return rng.choice(content.split("|"))


def _expression(kind: str, variables: str, rng: Random) -> str:
    scope = {name: held or "int" for name, _, held in (each.partition(":") for each in variables.split())}
    writer = ExpressionWriter(rng, scope)
    return writer.write("bool" if kind == "if" else kind, depth=rng.choice((1, 1, 2)))


def _without_kinds(source: str) -> tuple[str, tuple[str, ...]]:
    """The source without kinds, and the kinds of the parameters to call it with."""
    match = _HEADER.search(source)
    assert match, f"no function f in the template:\n{source}"
    kinds, names = [], []
    for parameter in filter(None, match[1].split(", ")):
        name, _, kind = parameter.partition(": ")
        kind, equals, default = kind.partition(" = ")
        kinds.append(f"{kind}=" if equals else kind)
        names.append(f"{name}={default}" if equals else name)
    header = f"def f({', '.join(names)}):"
    return source[: match.start()] + header + source[match.end() :], tuple(kinds)

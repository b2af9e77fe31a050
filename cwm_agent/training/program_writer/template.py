"""Programs from templates whose slots are filled at random; knows the slots, not what the programs compute.

def f(nums: ints, k: small):       a kind of `inputs.py` behind each parameter chooses its arguments
    if x «<|>|==» k:               one of the alternatives
    y = x * «1-9»                  an integer from 1 to 9
    s = «word»                     a word, «char» a character, «text» a string, each as a literal
    z = «int x k w:str»            an expression of that type over the variables named (int by default)
    if «if x k»:                   a condition over them
    u = «a & b|a ¦ b»              alternatives may hold other slots; a bar inside one is written ¦
"""

import ast
import re
from dataclasses import dataclass
from random import Random

from cwm_agent.training.program_writer import inputs
from cwm_agent.training.program_writer.expression_writer import ExpressionWriter
from cwm_agent.training.program_writer.variable_names import another, fresh
from cwm_agent.training.text_tables import read_table

FAMILIES = {
    name: tuple(read_table(f"templates/{name}").strip("\n").split("\n---\n"))
    for name in ("numbers", "strings", "sequences", "mappings", "control", "recursion", "grids", "tables")
}
"""The templates by the kind of data they work on."""
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
    return _renamed(source, parameters, rng)


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


def _renamed(source: str, parameters: tuple[str, ...], rng: Random) -> FilledTemplate:
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    variables = _variables(tree)
    taken -= set(variables) | {node.name for node in functions}
    names = {name: another(rng, name, taken) for name in variables}
    for node in functions:
        names[node.name] = fresh(rng, "entry" if node.name == "f" else "function", taken)
    _Renamer(names).visit(tree)
    return FilledTemplate(ast.unparse(tree), names["f"], parameters)


def _variables(tree: ast.AST) -> list[str]:
    """All names assigned in functions, in order; names used as keyword arguments are left out."""
    keywords = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            found[node.arg] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] = None
    return [name for name in found if name not in keywords]


class _Renamer(ast.NodeTransformer):
    """Renames variables, parameters and functions by a map."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self._names.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        node.name = self._names.get(node.name, node.name) if node.name else None
        self.generic_visit(node)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.Nonlocal:
        node.names = [self._names.get(name, name) for name in node.names]
        return node

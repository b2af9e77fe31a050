"""Composes whole functions from idioms: a few parameters, some statements, a return value."""

import ast
from collections.abc import Iterable
from random import Random

from cwm_agent.training.program_writer.expression_writer import all_forms
from cwm_agent.training.program_writer.idioms import STATEMENTS
from cwm_agent.training.program_writer.statement_writer import BodyWriter, idioms
from cwm_agent.training.program_writer.template import FilledTemplate
from cwm_agent.training.program_writer.variable_names import fresh

DRILLS = 0.35
STRAIGHT = 0.35
"""Share of functions made of rare operations, and share of the others without loops."""
LONG = 0.2
"""Share of functions with many statements, which teach jumps over many lines."""
_PARAMETERS: dict[str, tuple[str, str, int]] = {
    "int": ("int", "int", 8),
    "small": ("int", "int", 4),
    "pos": ("int", "int", 3),
    "str": ("str", "str", 12),
    "word": ("str", "str", 5),
    "char": ("char", "char", 3),
    "ints": ("ints", "ints", 10),
    "full": ("ints", "ints", 3),
    "sorted": ("ints", "ints", 1),
    "strs": ("strs", "strs", 6),
    "chars": ("strs", "strs", 1),
    "grid": ("grid", "grid", 2),
    "ragged": ("grid", "grid", 1),
    "counts": ("dict", "counts", 4),
    "table": ("dict", "table", 1),
    "wordmap": ("dict", "wordmap", 1),
    "groups": ("dict", "groups", 1),
    "pairs": ("strs", "pairs", 1),
    "pair": ("tuple", "pair", 1),
    "set": ("set", "set", 1),
    "bool": ("bool", "bool", 1),
    "digits": ("str", "str", 1),
}
"""Kinds of arguments: name kind, type, and weight."""
_HOLDING = {held: [kind for kind, row in _PARAMETERS.items() if row[1] == held] for _, held, _ in _PARAMETERS.values()}


def compose(rng: Random) -> FilledTemplate:
    """A random function: rare operations in a row, straight code, or code with loops and branches."""
    if rng.random() < DRILLS:
        return drill(rng)
    kinds = rng.choices(list(_PARAMETERS), [row[2] for row in _PARAMETERS.values()], k=rng.choice((1, 1, 2, 2, 3)))
    straight = rng.random() < STRAIGHT
    names, body = _parameters(rng, kinds, straight=straight)
    count = rng.choice((0, 1, 2, 3, 4, 5) if straight else (1, 1, 2, 2, 3, 4))
    count += rng.randint(2, 4) if rng.random() < LONG else 0
    return _function(rng, kinds, names, body=body, lines=body.statements(count, "    "))


def drill(rng: Random) -> FilledTemplate:
    """A straight function of a few operations, all forms equally likely, with the parameters they need."""
    forms = rng.sample(all_forms(), rng.randint(1, 3))
    plain = [idiom for idiom in idioms(STATEMENTS) if not {"loop", "inner"} & set(idiom.tags)]
    chosen = rng.sample(plain, rng.randint(0, 2))
    needs = sorted(
        {need for _, _, needed in forms for need in needed} | {need for idiom in chosen for need in idiom.needs}
    )
    kinds = [rng.choice(_HOLDING[need]) for need in needs if need in _HOLDING] or ["str"]
    names, body = _parameters(rng, kinds, straight=True)
    lines = [body.bound(kind, form, "    ") for kind, form, _ in forms]
    for idiom in chosen:
        lines += body.written(idiom, "    ")
    return _function(rng, kinds, names, body=body, lines=lines)


def _parameters(rng: Random, kinds: list[str], *, straight: bool) -> tuple[list[str], BodyWriter]:
    """Names for the parameters, and a body writer with them in scope."""
    taken: set[str] = set()
    names = [fresh(rng, _PARAMETERS[kind][0], taken) for kind in kinds]
    scope = {name: _PARAMETERS[kind][1] for name, kind in zip(names, kinds, strict=True)}
    return names, BodyWriter(rng, scope, straight=straight)


def _function(
    rng: Random, kinds: list[str], names: list[str], *, body: BodyWriter, lines: Iterable[str]
) -> FilledTemplate:
    """The whole function: header, lines and a return statement."""
    entry = fresh(rng, "entry", set(names))
    source = [f"def {entry}({', '.join(names)}):", *lines, f"    return {body.returned()}"]
    return FilledTemplate(ast.unparse(ast.parse("\n".join(source))), entry, tuple(kinds))

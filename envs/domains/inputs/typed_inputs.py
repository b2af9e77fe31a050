"""Arguments of given types, drawn by Hypothesis (extra `symbolic`): small values, edges and empty containers.

Hypothesis knows the edges of each type; `input_variation.py` knows what the tests look like. Runs no program.
"""

import ast
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from envs.domains.inputs.argument_types import ArgumentTypes
from envs.errors import MissingExtra
from tasks.errors import NotPlain
from tasks.value import write_value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LARGEST = 1_000
"""Bound of integers and floats: programs whose work grows with a number stay quick."""
LONGEST = 6
"""Items of a container, characters of a string."""
ALPHABET = "aAbz09 _-.,\n"
TRIES = 4
"""Draws for each input that is wanted: early draws repeat each other."""


def require(package: str) -> None:
    """Raise MissingExtra unless the package is installed."""
    if find_spec(package) is None:
        raise MissingExtra(f"{package} is not installed. Install it with `pip install 'cwm-agent[symbolic]'`.")


def typed_inputs(types: ArgumentTypes, count: int, seed: int) -> list[str]:
    """At most `count` different argument texts of these types; the same for the same seed; none without types."""
    if not types:
        return []
    require("hypothesis")
    from hypothesis import Phase, given, settings, strategies
    from hypothesis import seed as seeded

    found: dict[str, None] = {}

    @settings(max_examples=count * TRIES, database=None, deadline=None, phases=[Phase.generate])
    @seeded(seed)
    @given(strategies.tuples(*(strategy_of(annotation) for _, annotation in types)))
    def collect(values: tuple[Any, ...]) -> None:
        named = zip(types, values, strict=True)
        try:
            found[", ".join(f"{name}={write_value(value)}" for (name, _), value in named)] = None
        except NotPlain:
            return

    collect()
    return list(found)[:count]


def strategy_of(annotation: str) -> "SearchStrategy[Any]":
    """The strategy for an annotation of built-in types."""
    return _strategy(ast.parse(annotation, mode="eval").body)


def _strategy(node: ast.expr) -> "SearchStrategy[Any]":
    from hypothesis import strategies as st

    match node:
        case ast.BinOp(left=left, right=right):
            return _strategy(left) | _strategy(right)
        case ast.Constant(value=None):
            return st.none()
        case ast.Name(id=name):
            return _scalars()[name]()
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[key, value])):
            return st.dictionaries(_strategy(key), _strategy(value), max_size=LONGEST)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, ast.Constant(value=value)])) if (
            value is ...
        ):
            return st.lists(_strategy(item), max_size=LONGEST).map(tuple)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=inner):
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return st.tuples(*map(_strategy, items))
        case ast.Subscript(value=ast.Name(id=name), slice=inner):
            return _collections()[name](_strategy(inner), max_size=LONGEST)
    raise ValueError(f"No strategy for {ast.unparse(node)}.")


def _scalars() -> "dict[str, Callable[[], SearchStrategy[Any]]]":
    from hypothesis import strategies as st

    return {
        "int": lambda: st.integers(-LARGEST, LARGEST),
        "float": lambda: st.floats(-LARGEST, LARGEST, allow_nan=False, width=16),
        "bool": st.booleans,
        "str": lambda: st.text(ALPHABET, max_size=LONGEST),
        "bytes": lambda: st.binary(max_size=LONGEST),
    }


def _collections() -> "dict[str, Callable[..., SearchStrategy[Any]]]":
    from hypothesis import strategies as st

    return {"list": st.lists, "set": st.sets, "frozenset": st.frozensets}

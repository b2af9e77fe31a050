"""Decides whether a wrong value changes control flow, by the same rules by which rollouts advance.

A value decides a branch by its truth, and a loop's end by the number of items left. A wrong value with the same truth,
or one wrong item in a looped list, does not change control flow and is an error of state alone. Only decisions of lines
ahead count: a list whose loop is over decides nothing. Knows no oracle.
"""

import ast
from typing import Literal

from cwm_agent.imagination.successors import Successors
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import ImpossibleState, Unsupported, label_of
from envs.execution.stepper.values.iterator_rules import advance
from envs.execution.stepper.values.value_rules import Heap, size, truth
from envs.execution.syntax.bindings import writes_of

Decision = Literal["truth", "items"]
_MOST_ITEMS = 1_000
"""Most items left that are counted; two loops with more are taken to end together."""


def decides_otherwise(program: Program, guess: Frame, real: Frame, name: str) -> bool:
    """Whether some branch or loop ahead goes another way by a name's imagined value than by its real value."""
    guessed, held = dict(guess.locals).get(name), dict(real.locals).get(name)
    ways = decisions(program, real.line, name)
    if guessed is None or held is None:
        return bool(ways)
    return any(_decided(way, guessed, dict(guess.heap)) != _decided(way, held, dict(real.heap)) for way in ways)


def _decided(way: Decision, text: str, heap: Heap) -> object:
    """Return what a value decides; its text if no rule can tell, so that another text counts as another decision."""
    try:
        return truth(text, heap) if way == "truth" else _items_left(text, heap)
    except (Unsupported, ImpossibleState):
        return text


def _items_left(text: str, heap: Heap) -> int:
    label = label_of(text)
    content = heap[label] if label is not None else text
    if label is None or content.partition("(")[0] not in ("iter", "reversed", "enumerate", "zip", "map"):
        return size(text, heap)
    left = 0
    while left < _MOST_ITEMS and (step := advance(label, heap)) is not None and step.gives:
        heap = {**heap, **dict(step.contents)}
        left += 1
    return left


@bounded_cache(16 * MIB, per_character=1)
def decisions(program: Program, line: int, name: str) -> frozenset[Decision]:
    """Return the kinds of decision that lines from here on base on the present value of a name."""
    found: set[Decision] = set()
    successors, places = Successors.of(program), program.layout.places
    pending, seen = [line], {line}
    while pending:
        here = pending.pop()
        place = places.get(here)
        if place is None:
            continue
        found |= _decision(place.node, name)
        if name in _bound(place.node):
            continue  # the name has another value from there on
        fresh = successors.after(here) - seen
        seen |= fresh
        pending += fresh
    return frozenset(found)


def _decision(node: ast.AST, name: str) -> set[Decision]:
    match node:
        case ast.If(test=test) | ast.While(test=test):
            return {"truth"} if name in _names(test) else set()
        case ast.For(iter=source):
            return {"items"} if name in _names(source) else set()
        case ast.Assign(value=ast.Call(func=ast.Name(id="iter"), args=[source])):
            return {"items"} if name in _names(source) else set()
    return set()


def _bound(node: ast.AST) -> frozenset[str]:
    """Return the names that a line itself binds, without those bound in its body."""
    match node:
        case ast.If() | ast.While() | ast.Try() | ast.With():
            return frozenset()
        case ast.FunctionDef(name=name) | ast.ExceptHandler(name=str(name)):
            return frozenset({name})
        case ast.ExceptHandler():
            return frozenset()
    return writes_of(node)


def _names(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}

"""Tuples within tuples: trees of letters, heaps of weighed trees, and rows that hold moments, amounts and functions.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import heapq
import string
from collections.abc import Callable
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, library_values, scalars, texts
from cwm_agent.training.values.further import closure_values
from cwm_agent.training.values.nested.kindred_keys import stem

Recipe = Callable[[Random], object]
Row = tuple[object, ...]

_LEVELS = ("INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL")
_SOURCES = ("mail", "auth", "api", "db", "cache", "net", "cron", "worker")
_REMARKS = ("{}% full", "login ok", "timeout", "retry 3", "slow query", "started", "down", "cache miss", "")


# -- trees


def _leaf(rng: Random) -> str:
    return rng.choice(rng.choice((" etaoinshrdlu", string.ascii_lowercase, string.ascii_letters + " .,!-")))


def _grown(rng: Random, leaves: list[object]) -> object:
    """The leaves in pairs of pairs, joined in any order."""
    nodes = list(leaves)
    while len(nodes) > 1:
        place = rng.randrange(len(nodes) - 1)
        nodes[place : place + 2] = [(nodes[place], nodes[place + 1])]
    return nodes[0]


def letter_tree(rng: Random) -> object:
    """Two to nine letters in pairs of pairs, as a tree of codes."""
    size = rng.choice((2, 3, 3, 4, 5, 6, 7, 9))
    if rng.random() < 0.15:
        return _grown(rng, [rng.randint(0, 20) for _ in range(size)])
    return _grown(rng, [_leaf(rng) for _ in range(size)])


def leaf_or_tree(rng: Random) -> object:
    return _leaf(rng) if rng.random() < 0.35 else letter_tree(rng)


def weighed_tree(rng: Random) -> Row:
    """A weight, what breaks ties, and a letter or a tree; or a weight and a tree."""
    tree, weight = leaf_or_tree(rng), rng.randint(1, rng.choice((5, 12, 60)))
    return (weight, _first_leaf(tree) if rng.random() < 0.6 else rng.randint(0, 20), tree)


def _first_leaf(tree: object) -> object:
    while isinstance(tree, tuple) and tree:
        tree = tree[0]
    return tree


def tree_triples(rng: Random) -> list[Row]:
    """Two to seven weighed trees, whose second parts tell all of them apart."""
    numbered = rng.random() < 0.5
    top = rng.choice((4, 9, 40))
    letters = rng.sample(" abcdefghiklmnoprstuvw", rng.randint(2, 7))
    found: list[Row] = []
    for number, letter in enumerate(letters):
        tree: object = letter
        if rng.random() < 0.5:
            tree = _grown(rng, [letter, *(_leaf(rng) for _ in range(rng.randint(1, 4)))])
        found.append((rng.randint(1, top), number if numbered else letter, tree))
    return found


def tree_heap(rng: Random) -> list[Row]:
    found = tree_triples(rng)
    heapq.heapify(found)
    return found


def next_tree(rng: Random, held: object) -> object:
    """A weighed tree that fits a heap of such."""
    kept = held[0] if isinstance(held, list) and held else (1, 0, "a")
    found = weighed_tree(rng)
    weight = rng.choice((kept[0], found[0], found[0]))
    return (weight, next_tie(rng, held), found[-1])


def next_tie(rng: Random, held: object) -> object:
    """A number or a letter that no tree of the heap has as its second part."""
    kept = held[0] if isinstance(held, list) and held else (1, 0, "a")
    return rng.randint(8, 30) if isinstance(kept[1], int) else rng.choice("jqxyzBC.")


def tree_near(rng: Random, tree: object) -> object:
    """An equal tree, or one in which a leaf or a branch is another."""
    if rng.random() < 0.4 or not isinstance(tree, tuple) or not tree:
        return tree
    return _altered(rng, tree)


def _altered(rng: Random, tree: object) -> object:
    if not isinstance(tree, tuple) or not tree:
        return rng.choice((tree + 1, tree - 1)) if isinstance(tree, int) else _leaf(rng)
    place = rng.randrange(len(tree))
    return (*tree[:place], _altered(rng, tree[place]), *tree[place + 1 :])


def tree_list(rng: Random) -> list[object]:
    return [letter_tree(rng) for _ in range(rng.randint(1, 4))]


def tree_table(rng: Random) -> dict[str, object]:
    return {rng.choice((_leaf, texts.word))(rng): leaf_or_tree(rng) for _ in range(rng.randint(2, 5))}


def code_node(rng: Random) -> list[object]:
    """A weight before letters with their codes, as lists."""
    weight = rng.choice((rng.randint(1, 20), rng.randint(1, 20), rng.randint(1, 9) / 10))
    return [weight, *([_leaf(rng), "".join(rng.choices("01", k=rng.randint(0, 3)))] for _ in range(rng.randint(1, 4)))]


def code_heap(rng: Random) -> list[list[object]]:
    """A heap of one to five such lists, of which no two have the same first letter."""
    nodes = [code_node(rng) for _ in range(rng.randint(1, 5))]
    found: list[Any] = [
        [rng.randint(1, 20), [letter, ""], *node[2:]]
        for node, letter in zip(nodes, rng.sample("abcdehinorst", len(nodes)), strict=True)
    ]
    heapq.heapify(found)
    return found


# -- rows


def _cell(rng: Random) -> object:
    recipes: tuple[Recipe, ...] = (
        *(library_values.moment, library_values.moment, library_values.day, library_values.decimal, texts.word),
        *(scalars.small, closure_values.callable_value, library_values.timespan, library_values.fraction, stem),
        *(lambda rng: (rng.randint(0, 9), texts.char(rng)), scalars.nothing, everyday_texts.full_name),
    )
    return rng.choice(recipes)(rng)


def logged_row(rng: Random) -> Row:
    """Four cells: those of a log, or any."""
    if rng.random() < 0.5:
        return (
            library_values.moment(rng),
            rng.choice(_LEVELS),
            rng.choice(_SOURCES),
            rng.choice(_REMARKS).format(rng.randint(1, 99)),
        )
    return tuple(_cell(rng) for _ in range(4))


def row_of_three(rng: Random) -> Row:
    return tuple(_cell(rng) for _ in range(3))


def row_of_two(rng: Random) -> Row:
    return tuple(_cell(rng) for _ in range(2))


def any_row(rng: Random) -> Row:
    return rng.choice((logged_row, row_of_three, row_of_two))(rng)


def numbered_row(rng: Random) -> Row:
    """A row with its number before it, as `enumerate` gives it."""
    return (rng.randint(0, 12), any_row(rng))


def numbered_three(rng: Random) -> Row:
    """A number before a row of three cells, seldom of two or four."""
    return (rng.randint(0, 12), row_of_three(rng) if rng.random() < 0.9 else any_row(rng))


def keyed_function(rng: Random) -> Row:
    """A number or a word with a function."""
    found = (rng.choice((rng.randint(0, 9), texts.word(rng), None)), closure_values.callable_value(rng))
    return found if rng.random() < 0.7 else found[::-1]


def keyed_functions(rng: Random) -> list[Row]:
    """Numbers or words with functions of the module or of Python."""
    make = rng.choice((closure_values.module_function, closure_values.operator_function))
    keys = rng.choice((range(4), range(1, 5), [texts.word(rng) for _ in range(4)]))
    return [(key, make(rng)) for key in keys[: rng.randint(1, 4)]]

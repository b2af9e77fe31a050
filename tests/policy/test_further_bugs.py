"""The kinds of bug beyond the first ones: each is found in a program that shows it, and one edit undoes it."""

import ast
from functools import cache
from random import Random

import pytest

from cwm_agent.policy.edit_notation import edit_text, parse_edit
from cwm_agent.training.policy.bug_injection import bugs_of
from cwm_agent.training.policy.bug_text import nodes_of
from cwm_agent.training.policy.policy_examples import WEIGHTS, with_bugs

COUNTS = """def counts(items, known, limit=None):
    current, best = {}, None
    for item in items:
        if item is None:
            continue
        count = len(known) + 1
        current[item] = current.get(item, 0) + count
        if best is not None and count > best:
            best = max(count, 0)
        elif item in ("a", "b"):
            known.setdefault(item, []).append(count)
    return sorted(current, key=lambda each: (-current[each], each))
"""
GRID = """def grid(width, height, step):
    rows = [[0] * width for _ in range(height)]
    copied = [row[:] for row in rows]
    on = False
    row = 0
    for at in range(height - 1, -1, -1):
        on = not on
        if at > step:
            row = 0
        else:
            step += 1
        rows[at][row] = (at - row) * step
        last = at
        row += 1
    parts = (width + step - 1) // step
    return copied[1:], rows[-step:], min(parts, width - 1), sum(width, step) + 1
"""
OBJECT = """def shown(self, other, names=None):
    if names is None:
        names = []
    super().shown(other)
    found = names.copy()
    if (self.size == other.size or found) and self.next.size > 0:
        found.append(other.name.strip())
    for name in names:
        yield (name, self.size)
    self.names = dict(kind=found, owner=other)
    return joined(found, "-", [0, 1, 2])


def joined(parts, sign, numbers):
    words = [part for part in parts if part != sign]
    words.sort(key=len)
    return sorted(set(words[1:]))


def apart(words, sign, numbers):
    total = 1
    total = total + 2
    numbers = list(words)
    return words.split(sign)
"""

LEFT = """def left(text, step):
    while text:
        if step and text:
            step += 2
        elif step:
            step = "x"
            break
        else:
            step = 1
        start = text[:step]
    if start:
        return start
    return [each for each in text], text.find(start, step)
"""

CASES = [
    pytest.param(LEFT, "filter-add", "in text if", id="filter-add"),
    pytest.param(LEFT, "method-add", "return start.strip()", id="method-add"),
    pytest.param(GRID, "variable-together", "(width + row - 1) // row", id="variable-together"),
    pytest.param(COUNTS, "accumulate", "current[item] = count", id="accumulate"),
    pytest.param(COUNTS, "setdefault", "known[item].append(count)", id="setdefault"),
    pytest.param(GRID, "setdefault", "rows[at].setdefault(row, (at", id="setdefault-for-store"),
    pytest.param(COUNTS, "get", "current[item] + count", id="get"),
    pytest.param(COUNTS, "none-test", "if not item:", id="none-test"),
    pytest.param(COUNTS, "one-of", 'elif item == "b":', id="one-of"),
    pytest.param(COUNTS, "negated-part", "best is not None or count <= best", id="negated-part"),
    pytest.param(COUNTS, "condition-other", "if item is None:\n            best = max", id="condition-other"),
    pytest.param(COUNTS, "elif-word", '        if item in ("a", "b")', id="if-for-elif"),
    pytest.param(COUNTS, "limit-drop", "best = count", id="limit-drop"),
    pytest.param(COUNTS, "choice-or-sum", "best = count - 0", id="sum-for-choice"),
    pytest.param(COUNTS, "length", "count = best + 1", id="length"),
    pytest.param(COUNTS, "sort-key", "key=lambda each: -current[each])", id="sort-key"),
    pytest.param(COUNTS, "forgotten-exit", "items:\n        count =", id="forgotten-exit"),
    pytest.param(COUNTS, "forgotten-update", "best:\n            pass\n", id="forgotten-update"),
    pytest.param(OBJECT, "forgotten-return", "sort(key=len)\n\n", id="forgotten-return"),
    pytest.param(COUNTS, "return-word", "    sorted(current", id="return-word"),
    pytest.param(COUNTS, "constant", "+ 0\n", id="constant"),
    pytest.param(COUNTS, "slice-add", "in items[::-1]:", id="slice-add"),
    pytest.param(COUNTS, "index-for-item", "lambda each: (-each, each)", id="index-for-item"),
    pytest.param(COUNTS, "slice-for-item", "-current[:each]", id="slice-for-item"),
    pytest.param(COUNTS, "owner", "best.get(item", id="owner"),
    pytest.param(COUNTS, "collection", "= [], None", id="collection"),
    pytest.param(GRID, "rows", "[[0] * width] * height", id="shared-rows"),
    pytest.param(GRID, "rows", "copied = list(rows)", id="copied-rows"),
    pytest.param(GRID, "toggle", "on = True", id="toggle"),
    pytest.param(GRID, "reset", "row -= 1", id="reset"),
    pytest.param(GRID, "brackets", "at - row * step", id="brackets"),
    pytest.param(GRID, "rounding", "parts = width // step", id="rounding"),
    pytest.param(GRID, "slice-end", "copied[:-1]", id="slice-end"),
    pytest.param(GRID, "slice-end", "rows[:step]", id="slice-beginning"),
    pytest.param(GRID, "slice-drop", "return copied, rows", id="slice-drop"),
    pytest.param(GRID, "item-for-slice", "copied[1],", id="item-for-slice"),
    pytest.param(GRID, "operand-move", "min(parts, width) - 1", id="operand-out-of-call"),
    pytest.param(GRID, "operand-move", "sum(width, step + 1)", id="operand-into-call"),
    pytest.param(GRID, "range-order", "in range(height):", id="range-order"),
    pytest.param(COUNTS, "other-item", "[each + 1]", id="other-item"),
    pytest.param(GRID, "sign-add", "-((width + step - 1) // step)", id="sign-add"),
    pytest.param(GRID, "limit-add", "last = max(at, 0)", id="limit-add"),
    pytest.param(GRID, "moved-before", "on = not on\n    for at", id="moved-before"),
    pytest.param(GRID, "moved-inside", "-1):\n        row = 0\n        on = not", id="moved-inside"),
    pytest.param(GRID, "moved-far", "row = 0\n    rows = ", id="moved-far"),
    pytest.param(GRID, "variable-swap", "(row - at) * step", id="variable-swap"),
    pytest.param(GRID, "graft", "return copied[1:], copied[1:]", id="graft"),
    pytest.param(OBJECT, "mutable-default", "names=[]):\n    super()", id="mutable-default"),
    pytest.param(OBJECT, "forgotten-base-call", "names = []\n    found", id="forgotten-base-call"),
    pytest.param(OBJECT, "copy-drop", "found = names\n", id="copy-drop"),
    pytest.param(OBJECT, "copy-drop", "numbers = words\n", id="conversion-drop"),
    pytest.param(OBJECT, "grouping", "if self.size == other.size or found and", id="grouping"),
    pytest.param(OBJECT, "attribute-together", "self.name == other.name", id="attribute-together"),
    pytest.param(OBJECT, "owner-drop", "(size == other.size", id="owner-drop"),
    pytest.param(OBJECT, "own-value", "(found == other.size", id="own-value"),
    pytest.param(OBJECT, "link", "self.size > 0", id="link"),
    pytest.param(OBJECT, "call-drop", "names.copy\n", id="call-drop"),
    pytest.param(OBJECT, "yield-word", "return (name", id="return-for-yield"),
    pytest.param(OBJECT, "keyword-swap", "kind=other, owner=found", id="keyword-swap"),
    pytest.param(OBJECT, "callee", 'return apart(found, "-"', id="callee"),
    pytest.param(OBJECT, "display", "[0, 2]", id="display"),
    pytest.param(OBJECT, "only-argument", "words.sort()", id="only-argument"),
    pytest.param(OBJECT, "only-argument", "words.split()", id="separator"),
    pytest.param(OBJECT, "argument-add", "sorted(set(words[1:]), reverse=True)", id="argument-add"),
    pytest.param(OBJECT, "branch-add", "    else:\n", id="branch-add"),
]


@cache
def found_in(source: str) -> dict[str, list[str]]:
    """The program with each of its bugs, by kind, from many seeds."""
    found: dict[str, dict[str, None]] = {}
    for seed in range(120):
        for kind, bugs in bugs_of(source, Random(seed), further=True).items():
            found.setdefault(kind, {}).update((with_bugs(source, [bug]), None) for bug in bugs)
    return {kind: list(programs) for kind, programs in found.items()}


@pytest.mark.parametrize(("source", "kind", "shows"), CASES)
def test_a_bug_of_a_kind_is_found_and_one_edit_undoes_it(source: str, kind: str, shows: str) -> None:
    programs = found_in(source)[kind]
    assert shows not in source
    assert any(shows in buggy for buggy in programs)
    for buggy in programs:
        ast.parse(buggy)
        answer = edit_text(buggy, source)
        assert answer is not None
        edit = parse_edit(answer, buggy)
        assert edit is not None
        assert edit.apply(buggy) == source


def test_an_early_measurement_keeps_its_bugs() -> None:
    """Without `further` a seed gives only the first kinds of bug; all others are in the table above."""
    further = {case.values[1] for case in CASES}
    for source in (COUNTS, GRID, OBJECT, LEFT):
        first = {kind for seed in range(60) for kind in bugs_of(source, Random(seed))}
        assert not further & first
        assert found_in(source).keys() <= first | further


def test_every_weight_belongs_to_a_kind() -> None:
    kinds = {kind for source in (COUNTS, GRID, OBJECT, LEFT) for kind in found_in(source)}
    assert WEIGHTS.keys() <= kinds


def test_nodes_come_in_the_order_of_a_walk() -> None:
    tree = ast.parse(COUNTS + GRID + OBJECT)
    left_out = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
    assert nodes_of(tree) == [node for node in ast.walk(tree) if not isinstance(node, left_out)]

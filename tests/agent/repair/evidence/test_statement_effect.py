"""Claims about what a statement would change of a state: what Python itself makes of the same values."""

import ast
import copy
from collections import Counter, defaultdict, deque

import pytest

from cwm_agent.agent.repair.evidence.expression_value import Change
from cwm_agent.agent.repair.evidence.run_state import RunState, Unknown
from cwm_agent.agent.repair.evidence.statement_effect import effect

HUGE = 10**30
HEAP = {1: "[3, 1, 2]", 2: "{'a': 1, 'b': 7}", 3: "deque([1, 2])", 4: "{1, 2}", 5: "[]", 6: "[1, 2]", 7: "Counter({3: 1})",
        8: "defaultdict(int, {3: 1})", 9: "defaultdict(list, {})", 10: "defaultdict(f@3(), {3: 1})", 11: "{frozenset({1})}"}  # fmt: skip
TEXTS = {
    "xs": "#1", "d": "#2", "queue": "#3", "few": "#4", "empty": "#5", "ordered": "#6", "n": "2", "s": "'ab'", "huge": str(HUGE),
    "counts": "#7", "sums": "#8", "groups": "#9", "special": "#10", "sets": "#11",
}  # fmt: skip
STATEMENTS = """
if n: n = 2; n = 3
if n: n = 2; s = s
if n: pass; n = xs[9]
n = 2
n = 3
n = n * 1
n = n + 0.0
new = 1
n += 1
n += 0
n -= n - 2
s = s.upper()
s += ''
xs = ordered
xs = [3, 1, 2]
xs += (4,)
xs += s
xs += ()
xs += n
xs += few
queue += [4]
queue += xs
xs -= xs
xs[0] = 3
xs[0] = 4
xs[-1] += 0
xs[7] = 1
d['a'] = 1
d['a'] += 1
d['z'] = 1
d['z'] += 1
n = xs[9]
n = 1 // (n - 2)
xs.append(n)
queue.append(n)
queue.appendleft(n)
xs.appendleft(n)
xs.insert(0, n)
xs.extend([])
xs.extend(ordered)
empty.extend(empty)
empty.clear()
xs.clear()
d.clear()
xs.reverse()
empty.reverse()
xs.sort()
ordered.sort()
few.add(1)
few.add(9)
few.discard(9)
few.discard(1)
few.remove(9)
few.remove(1)
xs.pop()
xs.pop(0)
xs.pop(8)
xs.pop(huge)
empty.pop()
queue.popleft()
xs.remove(3)
xs.remove(8)
d.pop('a')
d.pop('z')
d.pop('z', None)
few.append(1)
counts[3] += 0
counts[4] += 1
sums[3] = 1
sums[4] += 1
sums[4] = 0
groups[n].append(n)
groups[n] += [n]
if n > 1: n = 5
if n > 2: n = 5
if n > 1: n = 2
if n // 0: n = 5
if few: xs.append(1)
pass
""".strip().splitlines()


def state() -> RunState:
    return RunState(TEXTS, HEAP)


def real(statement: str) -> Change:
    values = {"xs": [3, 1, 2], "d": {"a": 1, "b": 7}, "queue": deque([1, 2]), "few": {1, 2}, "empty": [],
              "ordered": [1, 2], "n": 2, "s": "ab", "huge": HUGE, "counts": Counter({3: 1}),
              "sums": defaultdict(int, {3: 1}), "groups": defaultdict(list)}  # fmt: skip
    before = copy.deepcopy(values)
    try:
        exec(statement, {}, values)
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError):
        return Change.ERROR
    same = [type(value) is type(before.get(name)) and value == before.get(name) for name, value in values.items()]
    return Change.NONE if all(same) else Change.OTHER


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_changes_what_python_changes(statement: str) -> None:
    [parsed] = ast.parse(statement).body
    if statement == "d.pop('z', None)":  # to take nothing away is no difference, and counts as one: nobody inserts it
        assert effect(parsed, state()) is Change.OTHER
    else:
        assert effect(parsed, state()) is real(statement)


def test_what_the_program_makes_for_a_missing_key_is_unknown() -> None:
    missing, held = ast.parse("n = special[4]\nn = special[3]").body
    with pytest.raises(Unknown):
        effect(missing, state())
    assert effect(held, state()) is Change.OTHER


def test_to_look_at_a_missing_key_leaves_it_missing() -> None:
    values = state()
    effect(ast.parse("n = sums[4]").body[0], values)
    assert values.value("sums") == {3: 1}


@pytest.mark.parametrize("statement", ["return n", "return", "continue", "break", "raise ValueError"])
def test_to_leave_a_block_is_a_difference(statement: str) -> None:
    [parsed] = ast.parse(statement).body
    assert effect(parsed, state()) is Change.OTHER


@pytest.mark.parametrize(
    "statement",
    [
        "f(n)", "xs.unheard_of()", "xs.append(f(n))", "n = f(n)", "a, b = 1, 2", "xs[0:1] = []", "del n",
        "for x in xs: n = x", "if n: pass\nelse: n = 1", "d.update({})", "n: int = 3", "sets.clear()",
    ],
)  # fmt: skip
def test_what_else_a_statement_does_is_unknown(statement: str) -> None:
    [parsed] = ast.parse(statement).body
    with pytest.raises(Unknown):
        effect(parsed, state())

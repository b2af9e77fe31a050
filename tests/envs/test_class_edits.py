"""Claims about edits of classes, containers and generators: which repairs are among the likely edits."""

import pytest

from envs.editing.edit_generation import edits
from envs.editing.fingerprint import fingerprint

ACCOUNT = """\
class Account:
    kind = "plain"

    def __init__(self, money, limit):
        self.money = money
        self.limit = limit
        self.last = None
        self.calls = 0
        self.log = []

    def take(self, amount, other):
        {take}

    def size(self):
        return len(self.log)


class Saving(Account):
    def __init__(self, money, limit, rate):
        {init}
        self.rate = rate

    def take(self, amount, other):
        {saving}
"""
FILLED = {
    "take": "self.money -= amount",
    "init": "super().__init__(money, limit)",
    "saving": "return super().take(amount, other)",
}


def program(**parts):
    filled = {name: text.replace("\n", "\n        ") for name, text in (FILLED | parts).items()}
    return ACCOUNT.format(**filled)


METHODS = [
    ("return amount > self.money", "return amount > self.money + self.limit", "unused-attribute"),
    ("return amount > 5", "return amount > self.limit", "unused-attribute"),
    ("return money > amount", "return self.money > amount", "attribute-same-name"),
    ("self.money = self.money", "self.money = amount", "variable-for-attribute"),
    ("return self.money > self.money", "return self.money > other.money", "owner"),
    ("return self.money < other.money", "return self.limit < other.limit", "attribute-together"),
    ("return self.size > amount", "return self.size() > amount", "call-method"),
    ("self.money -= amount", "self.money -= amount\nself.last = amount", "insert-stale"),
    ("self.money -= amount", "self.money -= amount\nself.calls += 1", "insert-stale"),
    ("self.money -= amount", "self.money -= amount\nself.log.append(amount)", "insert-stale"),
    ("self.money -= amount", "self.money -= amount\nreturn self", "insert-own-result"),
    ("self.log.append(2)", "self.log.append(2)\nself.log = []", "insert-attribute"),
    ("return self.money * self.limit + amount", "return self.money * (self.limit + amount)", "regrouping"),
    ("return self.log[amount]", "return self.log[amount % len(self.log)]", "index-wrap"),
]


@pytest.mark.parametrize(("before", "after", "operator"), METHODS)
def test_a_method_can_be_repaired(before, after, operator):
    assert _operator_of(program(take=before), program(take=after)) == operator


@pytest.mark.parametrize(
    ("part", "before", "after"),
    [
        ("init", "pass", "super().__init__(money, limit)\npass"),
        ("saving", "return amount", "return super().take(amount, other)"),
        ("saving", "x = amount * 2\nreturn x", "return super().take(amount, other)"),
    ],
)
def test_the_base_class_can_be_called(part, before, after):
    assert _operator_of(program(**{part: before}), program(**{part: after})) == "super-call"


FUNCTIONS = [
    ("import heapq\ndef f(xs):\n    return heapq.nlargest(2, xs)\n", "nlargest", "nsmallest", "method-name"),
    ("from bisect import bisect_left, bisect_right\ndef f(xs):\n    return bisect_left(xs, 2)\n",
     "return bisect_left", "return bisect_right", "call-name"),
    ("def f(x, y):\n    return sorted(x for x in y)\n", "sorted(x", "sorted(-x", "sign"),
    ("def f(graph, a, b):\n    graph[a].add(b)\n", "add(b)\n", "add(b)\n    graph[b].add(a)\n", "insert-mirror"),
    ("def f(x, y, w):\n    return x * w + y\n", "x * w + y", "y * w + x", "variable-swap"),
    ("def f(xs):\n    for x in xs:\n        yield f(x)\n", "yield f", "yield from f", "yield"),
    ("def f(xs):\n    for x in xs:\n        yield x\n    return f(x)\n", "return f", "yield from f", "yield"),
    ("def f(d):\n    return d.popitem()\n", "popitem()", "popitem(last=False)", "argument-add"),
    ("def f(r):\n    return r._replace(won=1), r._replace(lost=2)\n", "won", "lost", "keyword-name"),
    ("def f(x, xs=[]):\n    xs.append(x)\n    return xs\n", "=[]):\n",
     "=None):\n    if xs is None:\n        xs = []\n", "mutable-default"),
    ("class N:\n    def __init__(self, v):\n        self.v = v\n        self.n = None\n\n\ndef f(a):\n"
     "    while a.n:\n        a = a.n\n    return a.v\n", "return a.v", "return a.n.v", "link"),
    ("class G:\n    p = []\n\n    def __init__(self, n):\n        self.n = n\n\n    def add(self, x):\n"
     "        self.p.append(x)\n", "self.n = n\n", "self.n = n\n        self.p = []\n", "insert-first-value"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "before", "after", "operator"), FUNCTIONS)
def test_a_program_with_containers_can_be_repaired(source, before, after, operator):
    assert _operator_of(source, source.replace(before, after, 1)) == operator


def test_a_method_is_no_function_that_can_be_called_by_its_name():
    source = program()
    assert not [edit for edit in edits(source) if edit.after.startswith("size(")]


def test_methods_of_one_name_are_all_edited():
    """Both `take` methods get copies of their own statements."""
    source = program(take="self.money -= 1\nself.calls += 2", saving="self.money -= 3\nself.calls += 4")
    copied = {edit.after.strip() for edit in edits(source) if edit.operator == "insert-copy"}
    assert copied >= {"self.money -= 1", "self.money -= 3"}


def test_a_program_without_classes_gets_no_edits_of_classes():
    source = "def f(x, xs):\n    y = xs[x]\n    y.append(x)\n    return y\n"
    assert not {edit.operator for edit in edits(source)} & {"owner", "link", "insert-attribute", "with-attribute"}


def _operator_of(source, repaired):
    wanted = fingerprint(repaired)
    return next((edit.operator for edit in edits(source) if fingerprint(edit.apply(source)) == wanted), None)

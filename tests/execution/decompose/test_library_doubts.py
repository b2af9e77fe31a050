"""Programs that patch what they import, or run code before their imports and classes, keep the library's calls."""

import collections

import pytest

from envs.execution.decompose.decomposition import decompose
from tests.execution.decompose.test_library_calls import PLAIN, behaviour, check_same

MISSING = "lambda self, key: 5"
PATCHES = {
    "a class by its module": f"collections.Counter.__missing__ = {MISSING}",
    "a class by another name": f"C = Counter\nC.__missing__ = {MISSING}",
    "a class that is imported twice": f"from collections import Counter as C\nC.__missing__ = {MISSING}",
    "a module by another name": "import collections as c\nc.Counter = list",
    "setattr": "setattr(collections, 'Counter', list)",
    "setattr of a class": f"setattr(collections.Counter, '__missing__', {MISSING})",
    "setattr by another name": "change = setattr\nchange(collections, 'Counter', list)",
    "a loop": f"for each in (Counter,):\n    each.__missing__ = {MISSING}",
    "a parameter": f"def patch(each):\n    each.__missing__ = {MISSING}\npatch(Counter)",
    "the class of an object": f"type(Counter()).__missing__ = {MISSING}",
    "an attribute": f"class Held:\n    kind = Counter\nHeld.kind.__missing__ = {MISSING}",
    "the names of a module": "collections.__dict__['Counter'] = list",
}


def outcome(source: str) -> tuple[str, str]:
    """What the program does; the library is as it was afterwards."""
    counter, missing = collections.Counter, collections.Counter.__missing__
    try:
        return behaviour(source, "[1, 1]")
    finally:
        collections.Counter = counter  # type: ignore[misc]
        counter.__missing__ = missing  # type: ignore[method-assign]


@pytest.mark.parametrize("name", PATCHES)
def test_a_program_that_patches_what_it_imports_keeps_its_calls(name: str) -> None:
    calls = "return Counter(xs), collections.Counter(xs), bisect_left(xs, 2)"
    source = f"import collections\n{PLAIN}def f(xs):\n    {calls}\n{PATCHES[name]}\n"
    written = decompose(source, "f").source
    assert outcome(written) == outcome(source)
    assert "def _Counter" not in written
    assert "def _bisect_left" not in written


def test_attributes_of_own_objects_are_no_patches() -> None:
    own = "class Own:\n    made = 0\n    def __init__(self, xs):\n        self.xs = Counter(xs)\n        type(self).made += 1\n"
    written = check_same(
        f"{PLAIN}{own}def f(xs):\n    own = Own(xs)\n    own.xs = 3\n    return own.xs, Own.made\n", "[1]"
    )
    assert "def _Counter" in written


FOLD = "def g(xs):\n    return reduce(lambda a, b: max(a, b), xs)\n"
IMPORT = "from functools import reduce\n"
EARLY = {
    "a default": f"{FOLD}def f(x, d=g([1])):\n    return d\n{IMPORT}",
    "a default by keyword": f"{FOLD}def f(x, *, d=g([1])):\n    return d\n{IMPORT}",
    "an annotation": f"{FOLD}def f(x: g([2, 1])):\n    return x\n{IMPORT}",
    "what a function returns": f"{FOLD}def f(x) -> g([2, 1]):\n    return x\n{IMPORT}",
    "an annotated variable": f"{FOLD}v: g([2, 1]) = 3\ndef f(x):\n    return v\n{IMPORT}",
    "a default of a method": f"{FOLD}class K:\n    def m(self, d=g([1])):\n        return d\ndef f(x):\n    return K().m()\n{IMPORT}",
    "a decorated method": f"{FOLD}def shown(function):\n    g([1])\n    return function\nclass K:\n    @shown\n    def m(self):\n        return 1\n"
    f"def f(x):\n    return K().m()\n{IMPORT}",
    "a member of an enum": f"from enum import Enum, auto\n{FOLD}class E(Enum):\n    def _generate_next_value_(name, *rest):\n        return g([1, 2])\n"
    f"    A = auto()\ndef f(x):\n    return E.A.value\n{IMPORT}",
}
CARD = "class Card:\n    def __init__(self, n):\n        self.n = n\n    def __lt__(self, other):\n        return self.n < other.n\n"
SORT = "def g(xs):\n    return sorted(xs)[0]\n"
BEFORE = {
    "an annotation": f"{SORT}def h(a: g([2, 1])):\n    return a\n{CARD}def f(x):\n    return g([Card(2), Card(1)]).n\n",
    "an annotated variable": f"{SORT}v: g([2, 1]) = 3\n{CARD}def f(x):\n    return g([Card(2), Card(1)]).n, v\n",
    "members of an enum": f"from enum import Enum, auto\n{SORT}class E(Enum):\n    def _generate_next_value_(name, *rest):\n        return g([2, 1])\n"
    f"    A = auto()\n{CARD}def f(x):\n    return g([Card(2), Card(1)]).n, E.A.value\n",
    "the body of the class": f"{SORT}{CARD}    held = g([3, 2])\ndef f(x):\n    return g([Card(2), Card(1)]).n, Card.held\n",
    "an enum by itself": "from enum import Enum\nclass E(Enum):\n    A = 1\n    def __init__(self, n):\n        self.held = self.twice(n)\n"
    "    def twice(self, n):\n        return n * 2\ndef f(x):\n    return E.A.held, E.A.twice(4)\n",
}


@pytest.mark.parametrize("source", [*EARLY.values(), *BEFORE.values()], ids=[*EARLY, *(f"{n} (class)" for n in BEFORE)])
def test_code_that_runs_before_an_import_or_a_class_does_what_it_did(source: str) -> None:
    check_same(source, "1")


OTHERS = {
    "a comprehension that binds a generator's name": "def g():\n    yield (1, 2)\ndef f(xs):\n    items = g()\n"
    "    return [dict(items) for items in [{'ab': 2}]], [Counter(items) for items in [{'ab': 2}]], list(items)",
    "a name that classes write otherwise": "from collections import Counter as __C\nclass K:\n    def m(self, xs):\n        return __C(xs)\n"
    "def f(xs):\n    return __C(xs), K().m(xs)",
    "keys as an attribute": "class M:\n    def __init__(self):\n        self.keys = lambda: ['ab']\n    def __getitem__(self, key):\n        return 2\n"
    "    def __iter__(self):\n        return iter(['cd'])\ndef f(xs):\n    m = M()\n    return dict(m)",
    "keys as a lambda": "class M:\n    keys = lambda self: ['ab']\n    def __getitem__(self, key):\n        return 2\n"
    "    def __iter__(self):\n        return iter(['cd'])\ndef f(xs):\n    m = M()\n    return dict(m)",
    "keys of the library": "from collections.abc import Mapping\nclass M(Mapping):\n    def __getitem__(self, key):\n        return 2\n"
    "    def __iter__(self):\n        return iter(['cd'])\n    def __len__(self):\n        return 1\ndef f(xs):\n    m = M()\n    return dict(m)",
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_doubts(name: str) -> None:
    check_same(f"{PLAIN}{OTHERS[name]}\n", "[1, 2, 2]")

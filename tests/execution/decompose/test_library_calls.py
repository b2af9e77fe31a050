"""Library calls that are written out do what the library does: results, output, order, messages of errors."""

import contextlib
import io
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.program_checks.behaviour import plain
from envs.execution.decompose.decomposition import decompose

HEADER = """
import bisect, collections, functools
from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from functools import reduce
"""
KINDS = """
class Words(list):
    def __iter__(self):
        print('iterated')
        return iter(['own', 'own'])
class Text(str):
    def __iter__(self):
        return iter('xyz')
class Table:
    def keys(self):
        print('keys')
        return ['a']
    def __getitem__(self, key):
        return {'a': 3, 0: 1, 1: 2}[key]
    def __len__(self):
        return 2
class Turns:
    def __iter__(self):
        for item in (1, 2, 2):
            print('turn', item)
            yield item
"""


def behaviour(source: str, arguments: str) -> tuple[str, str]:
    """What a load and a call of `f` give or raise, with the message, and all that they print."""
    printed, space = io.StringIO(), dict[str, Any](__name__="program")
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, "<program>", "exec", dont_inherit=True), space)
            outcome = plain(eval(f"f({arguments})", space))
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}, {plain(error.__context__)}"
    return outcome, printed.getvalue()


def check_same(source: str, arguments: str) -> str:
    """The decomposed program behaves as the plain one does; gives its source."""
    written = decompose(source, "f").source
    assert behaviour(written, arguments) == behaviour(source, arguments), written
    return written


ITEMS = st.one_of(
    st.sampled_from(
        ["[1]", "{}", "'ab'", "None", "float('nan')", "(1, [2])", "Fraction(1, 3)", "Decimal('0.1')", "True"]
    ),
    st.integers(-2, 4).map(str),
    st.text("ab", max_size=2).map(repr),
)
SIMPLE = st.one_of(st.lists(st.integers(-2, 5)), st.lists(st.text("ab", max_size=2))).map(repr)
CONTAINERS = st.one_of(
    SIMPLE,
    SIMPLE.map(lambda text: f"sorted({text})"),
    st.lists(ITEMS, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
    SIMPLE.flatmap(
        lambda text: st.sampled_from(
            ["tuple", "set", "deque", "iter", "Counter", "Words", "enumerate", "reversed"]
        ).map(lambda kind: f"{kind}({text})")
    ),
    st.text("abc", max_size=5).map(repr),
    st.sampled_from(
        "None 7 b'aab' bytearray(b'aa') range(4) {} {'a':2} defaultdict(int) OrderedDict(a=1) Table() Turns() Text('aa') "
        "{'a':1}.values() {'a':1}.keys() {'a':1}.items() (x*x<for>x<in>range(3)) Counter iter([1,2]) map(abs,[1]) Counter(a=-1)".split()
    ).map(lambda text: text.replace("<for>", " for ").replace("<in>", " in ")),
)
CALLS = (
    "Counter(xs)",
    "collections.Counter(xs)",
    "Counter(x for x in xs)",
    "Counter([x for x in xs]).most_common()",
    "Counter(show(xs))",
    "Counter(xs, a=1)",
    "Counter(xs, xs)",
    "Counter(iterable=xs)",
    "Counter(*xs)",
    "Counter(*[xs])",
    "bisect_left(xs, y)",
    "bisect.bisect_right(xs, y)",
    "bisect.bisect(show(xs), show(y))",
    "bisect_right(xs, y, 1)",
    "bisect_left(xs, y, key=str)",
    "bisect_left(xs)",
    "bisect_left(*[xs, y])",
    "sum(xs, Fraction(0))",
    "sum(xs, start=Decimal('1.5'))",
    "sum(show(xs), Fraction(show(1), 3))",
    "sum(xs.values(), Fraction(1, 2))",
    "sum(*[xs], Fraction(0))",
    "sum(xs, Fraction(0), 1)",
    "reduce(lambda a, b: a + b, xs)",
    "functools.reduce(lambda a, b: [a, b], xs, y)",
    "reduce(max, xs)",
    "reduce(lambda a, b: a, xs, y, y)",
    "reduce(lambda a, b: a)",
    "reduce(*[max, xs])",
)
PLACES = (
    "def f(xs, y):\n    return CALL",
    "def f(xs, y):\n    def inner():\n        return CALL\n    return inner()",
    "def f(xs, y):\n    try:\n        return CALL\n    finally:\n        print('end')",
    "class Holder:\n    def held(self, xs, y):\n        return CALL\ndef f(xs, y):\n    return Holder().held(xs, y)",
    "def g(xs, y):\n    return CALL\nHELD = g(XS, YS)\ndef f(xs, y):\n    return HELD, g(xs, y)",
    "xs, y = XS, YS\ndef f(a, b, held=CALL):\n    return held",
    "xs, y = XS, YS\nclass Holder:\n    held = CALL\ndef f(xs, y):\n    return Holder.held",
    "def f(xs, y):\n    return [CALL for _ in range(2)], (lambda: CALL)()",
)


@settings(max_examples=300, deadline=None)
@given(
    call=st.sampled_from(CALLS),
    place=st.sampled_from(PLACES),
    header=st.sampled_from([HEADER + KINDS, '"""Text."""\nfrom __future__ import annotations' + HEADER + KINDS]),
    xs=CONTAINERS,
    y=ITEMS,
)
def test_generated_calls_behave_as_the_library_does(call: str, place: str, header: str, xs: str, y: str) -> None:
    text = place.replace("CALL", call).replace("XS", xs).replace("YS", y)
    check_same(f"{header}def show(x):\n    print('shown', x.__class__)\n    return x\n{text}\n", f"{xs}, {y}")


PLAIN = "from collections import Counter\nfrom functools import reduce\nfrom bisect import bisect_left\n"
REBOUND = {
    "except ... as": "def f(xs):\n    try:\n        1 // 0\n    except ZeroDivisionError as Counter:\n        return Counter(xs)",
    "a capture of match": "def f(xs):\n    match len:\n        case Counter:\n            return Counter(xs)",
    "a starred capture": "def f(xs):\n    match [len]:\n        case [*Counter]:\n            return Counter[0](xs)",
    "the rest of a mapping": "def f(xs):\n    match {1: len}:\n        case {**Counter}:\n            return Counter[1](xs)",
    "a local import": "def f(xs):\n    from builtins import len as Counter\n    return Counter(xs)",
    "a later import": "from builtins import len as Counter\ndef f(xs):\n    return Counter(xs)",
    "a walrus": "def f(xs):\n    if (Counter := len):\n        return Counter(xs)",
    "a comprehension": "def f(xs):\n    return [Counter(xs) for Counter in (len, list)]",
    "a loop": "def f(xs):\n    for Counter in (len, list):\n        print(Counter(xs))",
    "with": "from contextlib import nullcontext\ndef f(xs):\n    with nullcontext(len) as Counter:\n        return Counter(xs)",
    "global": "def f(xs):\n    global Counter\n    Counter = len\n    return Counter(xs)",
    "del": "def f(xs):\n    global Counter\n    del Counter\n    return Counter(xs)",
    "a parameter": "def f(xs, Counter=len):\n    return Counter(xs)",
    "a parameter by keyword": "def f(xs, *, Counter=len):\n    return Counter(xs)",
    "a parameter of a lambda": "def f(xs):\n    return (lambda Counter: Counter(xs))(len)",
    "a class": "class Counter:\n    def __init__(self, xs):\n        self.xs = xs\ndef f(xs):\n    return Counter(xs).xs",
    "a class body": "class Held:\n    Counter = len\n    held = Counter('ab')\ndef f(xs):\n    return Held.held",
    "a nested function": "def f(xs):\n    def Counter(xs):\n        return 1\n    return Counter(xs)",
    "a patched class": "Counter.__missing__ = lambda self, key: 5\ndef f(xs):\n    try:\n        return Counter(xs), Counter('a')['b']\n"
    "    finally:\n        Counter.__missing__ = lambda self, key: 0",
    "a patched module": "import collections\nheld = collections.Counter\ncollections.Counter = len\ndef f(xs):\n    try:\n"
    "        return collections.Counter(xs)\n    finally:\n        collections.Counter = held",
    "setattr": "import collections\nheld = collections.Counter\nsetattr(collections, 'Counter', len)\ndef f(xs):\n    try:\n"
    "        return collections.Counter(xs)\n    finally:\n        setattr(collections, 'Counter', held)",
    "an import behind a call": "import math\ndef f(xs):\n    return math.prod(xs), list(product(xs))\ntry:\n    f([1])\n"
    "except NameError as error:\n    print(error)\nfrom itertools import product",
}


@pytest.mark.parametrize("name", REBOUND)
def test_a_name_that_is_bound_otherwise_is_not_written_out(name: str) -> None:
    written = check_same(f"{PLAIN}{REBOUND[name]}\n", "[1, 2, 2]")
    assert "def _Counter" not in written


BUILTINS = {
    name: f"{PLAIN}def {name}(*given):\n    print('own', given)\n    return given\ndef f(xs):\n"
    "    return Counter(xs), bisect_left(xs, 2), reduce(lambda a, b: a + b, xs)\n"
    for name in ("type", "list", "str", "tuple", "len", "iter", "TypeError")
}


@pytest.mark.parametrize("name", BUILTINS)
def test_a_builtin_of_the_program_is_not_used_by_what_is_written_out(name: str) -> None:
    check_same(BUILTINS[name], "[1, 2, 2]")


READING = {
    "eval": "from math import *\ndef f(x):\n    return eval('sqrt(x)')",
    "globals": "from math import *\ndef f(x):\n    return globals()['sqrt'](x)",
    "vars": "from math import *\nimport sys\ndef f(x):\n    return vars(sys.modules[__name__]) if x < 0 else vars(__import__('math'))['sqrt'](x)",
    "names of the module": f"{PLAIN}def f(x):\n    reduce(lambda a, b: a + b, [x, x])\n    return Counter('ab'), sorted(n for n in globals() if n.startswith('_'))[-1]",
    "dir": f"{PLAIN}def f(x):\n    return reduce(lambda a, b: a + b, [x, x])\nNAMES = len(dir())\ndef g():\n    return NAMES",
    "exec": f"{PLAIN}def f(x):\n    space = {{}}\n    exec('from collections import Counter', space)\n    return Counter([x]) == space['Counter']([x])",
    "locals": f"{PLAIN}def f(x):\n    held = Counter('aab')\n    return sorted(locals())",
    "a frame": f"import sys\n{PLAIN}def f(x):\n    return Counter('aa'), '_Counter' in sys._getframe().f_globals",
    "a function's names": f"{PLAIN}def f(x):\n    return Counter('aa'), '_Counter' in f.__globals__",
    "a star of unknown names": f"{PLAIN}from os.path import *\ndef f(x):\n    return Counter('aab'), basename('a/b')",
}


@pytest.mark.parametrize("name", READING)
def test_programs_that_look_names_up_are_left_alone(name: str) -> None:
    written = check_same(f"{READING[name]}\n", "4")
    assert not re.search(r"^def _", written, re.MULTILINE)
    assert "import *" in written or "import *" not in READING[name]


FRESH = {
    "a variable": "_Counter = 3\ndef f(xs):\n    return Counter(xs), _Counter",
    "an import": "from math import pi as _Counter\ndef f(xs):\n    return Counter(xs), _Counter",
    "a parameter": "def f(xs, _Counter=4):\n    return Counter(xs), _Counter",
    "a handler": "def f(xs):\n    try:\n        1 // 0\n    except ArithmeticError as _Counter:\n        return Counter(xs), str(_Counter)",
    "a capture": "def f(xs):\n    match xs:\n        case _Counter:\n            return Counter(xs), _Counter",
    "a part of a helper": "from itertools import groupby\n_groupby_group = 7\ndef f(xs):\n    return [(k, list(g)) for k, g in groupby(xs, lambda x: x)], _groupby_group",
}


@pytest.mark.parametrize("name", FRESH)
def test_helpers_get_names_that_the_program_does_not_use(name: str) -> None:
    check_same(f"{PLAIN}{FRESH[name]}\n", "[1, 2, 2]")


LOADED = {
    "reduce": "def g(xs):\n    return reduce(lambda a, b: a * b, xs)\nHELD = g([2, 3])",
    "takewhile": "from itertools import takewhile\ndef g(xs):\n    return list(takewhile(lambda x: x < 3, xs))\nHELD = g([2, 3])",
    "partial": "from functools import partial\ndef h(a, b):\n    return a + b\ndef g(x):\n    return partial(h, 1)(x)\nHELD = g(2)",
    "a default": "def f(xs, held=reduce(lambda a, b: a + b, [1, 2])):\n    return held",
    "a class body": "class Held:\n    value = reduce(lambda a, b: a + b, [1, 2])\nHELD = Held.value",
    "a sort of own objects": "class Card:\n    def __init__(self, n):\n        self.n = n\n    def __lt__(self, other):\n        return self.n < other.n\n"
    "def g():\n    return [c.n for c in sorted([Card(2), Card(1)])]\nHELD = g()",
    "a sort before a class": "class Card:\n    def __init__(self, n):\n        self.n = n\n    def __lt__(self, other):\n        return self.n < other.n\n"
    "def g():\n    return [c.n for c in sorted([Card(2), Card(1)])]\nHELD = g()\nclass Later(Card):\n    def __lt__(self, other):\n        return False\n"
    "class Other:\n    def __lt__(self, other):\n        return True\n",
    "a method of an enum": "from enum import Enum\nclass Level(Enum):\n    LOW = 1\n    HIGH = 2\n    def doubled(self):\n        return self.value * 2\n"
    "def g():\n    return Level.HIGH.doubled()\nHELD = g()",
    "a method that another class has too": "from enum import Enum\nclass First:\n    def double(self):\n        return 1\n"
    "def g(x):\n    return x.double()\nHELD = g(First())\nclass Level(Enum):\n    LOW = 1\n    def double(self):\n        return 2",
    "a doctest of the module": '"""Docs."""\nfrom __future__ import annotations\nimport functools\ndef g(xs: Unknown):\n'
    "    return functools.reduce(lambda a, b: a + b, xs)\nHELD = g([1]), __doc__",
}


@pytest.mark.parametrize("name", LOADED)
def test_functions_that_the_module_calls_while_it_is_loaded_find_their_helpers(name: str) -> None:
    source = LOADED[name] if LOADED[name].startswith('"""') else f"{PLAIN}{LOADED[name]}"
    entry = "" if "def f(" in source else "def f(xs):\n    return HELD\n"
    outcome, _ = behaviour(f"{source}\n{entry}", "[1]")
    assert "Error" not in outcome
    check_same(f"{source}\n{entry}", "[1]")


OWN = {
    "__hash__": "class Key:\n    def __init__(self, n):\n        self.n = n\n    def __hash__(self):\n        print('hash', self.n)\n        return 1\n"
    "    def __eq__(self, other):\n        print('eq', self.n, other.n)\n        return self.n == other.n\n"
    "def f(xs):\n    return sorted(Counter([Key(x) for x in xs]).values())",
    "__lt__": "class Key:\n    def __init__(self, n):\n        self.n = n\n    def __lt__(self, other):\n        print('lt', self.n)\n        return NotImplemented\n"
    "    def __gt__(self, other):\n        print('gt', self.n)\n        return True\ndef f(xs):\n    return bisect_left([Key(x) for x in xs], Key(2))",
    "__radd__": "from fractions import Fraction\nclass Amount:\n    def __init__(self, n):\n        self.n = n\n    def __radd__(self, other):\n"
    "        print('radd', other)\n        return other + self.n\ndef f(xs):\n    return sum([Amount(x) for x in xs], Fraction(0))",
    "a mapping by name elsewhere": "def g():\n    yield (1, 2)\ndef h(items):\n    return dict(items), Counter(items)\ndef f(xs):\n    items = g()\n"
    "    return h({'ab': 2}), list(items)",
    "an own Counter": "class Counter:\n    def __init__(self, items):\n        self.first = next(items)\ndef f(xs):\n    return Counter(x for x in xs).first",
    "an own set": "def set(items):\n    return next(items)\ndef f(xs):\n    return set(x for x in xs)",
    "items made as they are counted": "def show(x):\n    print(x)\n    return x\ndef f(xs):\n    return Counter(show(x) for x in [1, [], 2])",
    "a set in the sum": "from fractions import Fraction\ndef f(xs):\n    return sum({2}, Fraction(1, 2)), sum((), Fraction(1)), sum([0.1] * 9, Fraction(0))",
    "many values": "from fractions import Fraction\ndef f(xs):\n    return Counter(xs * 3)[2], bisect_left(sorted(xs * 9), 2)",
}


@pytest.mark.parametrize("name", OWN)
def test_methods_of_the_program_run_as_often_and_in_the_same_order(name: str) -> None:
    check_same(f"{PLAIN}{OWN[name]}\n", "[1, 2, 2]")


def test_a_call_of_a_list_is_written_out_and_a_function_that_is_too_deep_is_still_left() -> None:
    """Else the tests above would hold for a program that nobody rewrote."""
    written = check_same(f"{PLAIN}def f(xs): return Counter(xs), bisect_left(xs, 2)\n", "[1, 2, 2]")
    assert "found[item]" in written
    assert "items[middle]" in written
    nested = "".join(f"{'    ' * depth}for x{depth} in xs:\n" for depth in range(1, 19))
    check_same(f"{PLAIN}def f(xs):\n{nested}{'    ' * 19}print(Counter(xs), [a for a in xs for b in xs])\n", "[1]")


METHODS = {
    "rotated deques": "from collections import deque\ndef f(x):\n    out = []\n    for q in (deque('abcd'), deque('ab', 2), deque('a'), deque()):\n"
    "        q.rotate(1)\n        out.append(q.copy())\n        q.rotate(-3)\n        q.rotate(0)\n        q.rotate(8)\n        out.append(q)\n    return out",
    "a deque that is rotated under a loop": "from collections import deque\ndef f(x):\n    q = deque('abc')\n    for each in q:\n        q.rotate(3)",
    "a deque that is rotated too far": "from collections import deque\ndef f(x):\n    q = deque('abc')\n    q.rotate(4294967297)\n    q.rotate(-(10**30))\n    q.rotate(-1000000000000000000000000)",
    "no deque": "from collections import deque\ndef f(x):\n    [1, 2].rotate(1)",
    "a deque of the program": "from collections import deque\nclass Own(deque):\n    def pop(self):\n        print('popped')\n        return 9\ndef f(x):\n    q = Own('ab')\n    q.rotate(1)\n    return list(q)",
}


@pytest.mark.parametrize("argument", ["'why'", "5", "None", "['a']"])
@pytest.mark.parametrize("name", METHODS)
def test_methods_that_are_written_out_do_what_they_did(name: str, argument: str) -> None:
    check_same(f"{METHODS[name]}\n", argument)


def test_rotated_deques_are_written_out_and_texts_of_exceptions_are_not() -> None:
    handler = "    try:\n        raise Failed(x)\n    except Failed as error:\n        return str(error), f'{error}'"
    written = check_same(f"class Failed(ValueError):\n    pass\ndef f(x):\n{handler}\n", "'why'")
    assert "str(error)" in written
    assert "error.args" not in written
    assert "queue.appendleft" in decompose(METHODS["rotated deques"], "f").source


GETS = {
    "a new list": "def f(table, key):\n    found = table.get(key, [])\n    found.append(1)\n    return found, table",
    "a new dict in an expression": "def f(table, key):\n    return [1, *table.get(key, {}), table.get('b', [])]",
    "a loop": "def f(table, key):\n    for each in table.get(key, []):\n        print(each)\n    return [table.get(k, []) for k in (key, 'a')]",
    "a table of an object": "class Held:\n    def __init__(self, table):\n        self.table = table\ndef f(table, key):\n    return Held(table).table.get(key, [])",
    "a key that is not bound": "def f(table, key):\n    if key == 'a':\n        wanted = key\n    return table.get(wanted, [])",
    "a table that the key changes": "def f(table, key):\n    return table.get((table := {}) and key, []), table",
    "a get of the program": "class Held:\n    def get(self, key, default):\n        print(key)\n        return default\ndef f(table, key):\n    return Held().get(key, []), table.get(key, [])",
    "keys of the program": "class Key:\n    def __hash__(self):\n        print('hash')\n        return 1\n    def __eq__(self, other):\n        print('eq')\n        return True\n"
    "def f(table, key):\n    table, wanted = {Key(): 1}, Key()\n    return table.get(wanted, [])",
    "an own dict": "dict = list\ndef f(table, key):\n    return table.get(key, [])",
    "a name of the module": "TABLE = {'a': [2]}\ndef f(table, key):\n    global TABLE\n    found = TABLE.get(key, [])\n    TABLE = None\n    return found",
}
WRITTEN = ("a new list", "a new dict in an expression", "a loop", "a table of an object", "a get of the program")
TABLES = (
    "{'a': [5]}, 'a'",
    "{'a': [5]}, 'c'",
    "{}, []",
    "None, 'a'",
    "[1], 0",
    "Counter('a'), 'c'",
    "defaultdict(list), 'q'",
    "{'a': 1}, 'a'",
)


@pytest.mark.parametrize("arguments", TABLES)
@pytest.mark.parametrize("name", GETS)
def test_a_default_that_is_a_new_container_is_got_as_before(name: str, arguments: str) -> None:
    written = check_same(f"from collections import Counter, defaultdict\n{GETS[name]}\n", arguments)
    assert ("is dict" in written) == (name in WRITTEN)

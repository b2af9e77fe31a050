"""What the tracer does not write again: every page is the same as if all had been looked at."""

import ast
import warnings

import pytest
from markov_programs import PROGRAMS

from benchmarks.programs import arguments as random_arguments
from benchmarks.programs import program as random_program
from envs.execution import watching
from envs.execution.frames import Trace
from envs.execution.program import Program, decomposed
from envs.execution.tracer import TraceLimits, trace


def traced_looking_at_everything(program: Program, arguments: str, monkeypatch: pytest.MonkeyPatch) -> Trace:
    with monkeypatch.context() as patched:
        patched.setattr(watching, "_is_steady", lambda node, code: False)
        watching.watches_of.cache_clear()
        real = trace(program, arguments, TraceLimits(steps=400))
    watching.watches_of.cache_clear()
    return real


def check(source: str, arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = decomposed(source, "f")
    whole = traced_looking_at_everything(program, arguments, monkeypatch)
    assert trace(program, arguments, TraceLimits(steps=400)) == whole


@pytest.mark.parametrize("name", PROGRAMS)
def test_pages_are_the_same_as_if_everything_were_looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(*PROGRAMS[name], monkeypatch)


def test_pages_of_random_programs_are_the_same_as_if_everything_were_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random programs that can do without their classes, since of programs with classes everything is looked at."""
    steady = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        for seed in range(400):
            source = without_classes(random_program(seed))
            if source is not None:
                check(source, random_arguments(seed)[0], monkeypatch)
                functions = watching.watches_of(decomposed(source, "f")).functions.values()
                steady += any(watched.outside.steady for watched in functions)
    assert steady > 40


def without_classes(source: str) -> str | None:
    """The program without its classes; None where it uses them."""
    tree = ast.parse(source)
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    tree.body = [node for node in tree.body if not isinstance(node, ast.ClassDef)]
    used = any(isinstance(node, ast.Name) and node.id in classes for node in ast.walk(tree))
    return None if used else ast.unparse(tree) + "\n"


TRICKY = {
    "a temporary that is returned": ("def f(n):\n    return [[i] for i in range(n)]", "3"),
    "a temporary that comes back": ("def g(x):\n    return [x]\ndef f(n):\n    a = g(n)\n    return g(a) + [n]", "3"),
    "arguments that are new": ("def g(a, b, *c):\n    return c\ndef f(n):\n    return g([n], *[[1], [2]])", "3"),
    "an iterator that goes with its list": ("def f(n):\n    for i in [[n], [2]]:\n        n = i\n    return n", "3"),
    "a ring that goes": ("def f(n):\n    a = [n]\n    a.append(a)\n    a = 1\n    b = [a]\n    return b", "3"),
    "two names go": ("def f(n):\n    a = [n]\n    b = [a, a]\n    a = b = n\n    return [a]", "3"),
    "raised with an object": (
        "def g(x):\n    raise ValueError([x])\n"
        "def f(n):\n    try:\n        g(n)\n    except ValueError as e:\n        return e.args",
        "3",
    ),
    "an alias changed": ("def f(xs):\n    ys = xs\n    ys.append(1)\n    xs.sort()\n    return ys", "[3, 2]"),
    "inside a list": (
        "def f(xs):\n    xs[0].append(1)\n    a = xs.pop()\n    a.append(xs)\n    return a",
        "[[1], [2]]",
    ),
    "an iterator of iterators": (
        "def f(xs):\n    z = zip(iter(xs), enumerate(xs))\n    a = next(z)\n    b = dict(z)\n    return a, b",
        "[3, 4, 5]",
    ),
    "a key that changes things": (
        "def f(xs):\n    seen = []\n    xs.sort(key=seen.append)\n    m = map(seen.append, xs)\n    n = list(m)\n    return n",
        "[2, 1]",
    ),
    "a default that fills itself": (
        "from collections import defaultdict\ndef f(n):\n    d = defaultdict(list)\n    a = d[n]\n    b = n in d\n    return a, b",
        "1",
    ),
    "a swap of objects": ("def f(a, b):\n    a, b = b, a\n    a.append(b)\n    b = 1\n    return a", "[1], [2]"),
    "a handler's name": (
        "def f(x):\n    try:\n        x[0]\n    except TypeError as e:\n        y = e\n    z = 1\n    return str(y)",
        "3",
    ),
    "a method that is kept": (
        "def f(xs):\n    a = xs.append\n    b = xs\n    a(len(xs) + 1)\n    a([xs[0]])\n    c = (xs, 3)\n    del xs\n    b[0] = 9\n    return b, c",
        "[3, 1]",
    ),
    "a method that outlives its list's name": (
        "def f(xs):\n    a = [xs].append\n    a(xs)\n    s = a.__self__\n    del a, xs\n    s[1].append(4)\n    return s",
        "[3]",
    ),
    "a method that others call": (
        "def f(xs):\n    g = {}.setdefault\n    m = map(g, xs)\n    t = (1, [])\n    t = (2, t)\n    n = list(m)\n    return g(3, t)",
        "[3, 1]",
    ),
    "an iterator used up as it goes": (
        "def f(xs):\n    t = [[x] for x in xs]\n    u = [y for z in t for y in z]\n    t = 0\n    return [u for _ in u]",
        "[3, 1]",
    ),
    "a deleted name": ("def f(x):\n    y = [x]\n    del y\n    z = [x]\n    return z", "3"),
    "a module variable": ("S = [1]\ndef f(x):\n    S.append(x)\n    t = S\n    t.pop(0)\n    return len(S)", "3"),
    "a builtin that a function binds anew": (
        "def f(xs):\n    global len\n    len = xs.append\n    a = len(4)\n    b = len(5)\n    return xs",
        "[3]",
    ),
    "a builtin that the module binds anew": ("S = []\nlen = S.append\ndef f(x):\n    a = len(x)\n    return S", "3"),
    "a builtin that is bound behind one's back": (
        "def g(x):\n    globals()['len'] = x\ndef f(xs):\n    g(xs.append)\n    a = len(4)\n    b = len(5)\n    return xs",
        "[3]",
    ),
    "iterators inside a list": (
        "def f(xs):\n    a = [iter(x) for x in xs]\n    b = dict(a)\n    c = list(a[0])\n    return b, c",
        "['ab', 'cd']",
    ),
    "a dict that changes under its iterator": (
        "def f(d):\n    i = iter(d)\n    a = next(i)\n    d[5] = a\n    d.pop(5)\n    return a",
        "{1: 2}",
    ),
    "ranges of every kind": (
        "def f(n):\n    a = [i for i in range(n)]\n    b = [i for i in range(n, 0, -2)]\n    c = iter(range(1, n))\n"
        "    d = next(c)\n    e = list(c)\n    return a, b, d, e",
        "5",
    ),
    "an object while another name is not bound": (
        "def f(a):\n    try:\n        e = {3: len(a)}\n    except TypeError as error:\n        return error\n    b = [e]\n    return b",
        "[1]",
    ),
    "a string too long to show": ("def f(n):\n    s = 'a' * n\n    t = [n]\n    s = ''\n    return t", "20001"),
    "recursion": (
        "def f(xs):\n    if not xs:\n        return xs\n    a = f(xs[1:])\n    a.append(xs)\n    return a",
        "[1, 2]",
    ),
}


@pytest.mark.parametrize("name", TRICKY)
def test_changes_that_a_line_does_not_spell_out_are_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(*TRICKY[name], monkeypatch)

"""Functions that C code would call back are steps of their own: keys, `map` and `filter` become loops."""

import pytest

from benchmarks.program_checks.behaviour import BehaviourRecorder, observe
from envs.execution.decompose.decomposition import decompose
from envs.execution.decompose.program import decomposed
from envs.execution.syntax.control_flow_graph import control_flows
from envs.execution.tracer.tracer import trace

KEY = "def key(x):\n    print('key', x)\n    return -x\n"
SAME = {
    "a key of the program": "def f(xs):\n    return sorted(xs, key=key)",
    "downwards, equal keys in their order": "def f(xs):\n    return sorted(xs, key=lambda x: x % 3, reverse=True)",
    "all keys before the first comparison": "def f(xs):\n    return sorted(xs, key=lambda x: print(x))",
    "a key for a single item": "def f(xs):\n    return sorted(xs[:1], key=key)",
    "keys of two kinds": "def f(xs):\n    return sorted(xs, key=lambda x: x if x > 1 else str(x))",
    "tuples as keys": "def f(xs):\n    return sorted(xs, key=lambda x: (x % 2, -x))",
    "the items of a dict": "def f(xs):\n    d = {x: x % 3 for x in xs}\n    return sorted(d.items(), key=lambda p: p[1])",
    "sorted over map": "def f(xs):\n    return sorted(map(key, xs), key=lambda x: x % 3)",
    "what is no iterable": "def f(xs):\n    return sorted(3, key=key)",
    "a key that takes two": "def f(xs):\n    return sorted(xs, key=lambda a, b: 1)",
    "a key with a default": "def f(xs):\n    return sorted(xs, key=lambda a, b=xs.append(9): -a)",
    "sort in place": "def f(xs):\n    ys = xs\n    print(xs.sort(key=lambda x: -x))\n    return ys is xs, ys",
    "sort where the key fails": "def f(xs):\n    try:\n        xs.sort(key=lambda x: 1 // x)\n    except ArithmeticError:\n        return xs",
    "sort whose key sees the list": "def f(xs):\n    xs.sort(key=lambda x: (len(xs), -x))\n    return xs",
    "sort whose key reads a variable": "def f(xs):\n    k = len(xs)\n    xs.sort(key=lambda x: (x % k, x))\n    return xs",
    "sort whose key counts in the list": "def f(xs):\n    ys = [xs]\n    xs.sort(key=lambda x: (ys[0].count(x), len(ys[0]), -x))\n    return xs",
    "sort whose key reads and fails": "def f(xs):\n    k = 1\n    try:\n        xs.sort(key=lambda x: k // (x - 4))\n    except ArithmeticError as e:\n        return xs, e.__context__\n    xs.append(k)",
    "sort whose key changes the list": "def f(xs):\n    xs.sort(key=lambda x: xs.append(x))\n    return xs",
    "sort whose key has a builtin change the list": "def f(xs):\n    xs.sort(key=lambda x: max([x], key=xs.append))\n    return xs",
    "sort whose key changes the list by an operator": "def f(xs):\n    xs.sort(key=lambda x: xs.__iadd__([x]))\n    return xs",
    "sort of a list in an object": "class C:\n    def __init__(self, xs): self.xs, self.k = xs, 3\n    def sort(self):\n        self.xs.sort(key=lambda x: (x % self.k, len(self.xs)), reverse=True)\ndef f(xs):\n    c = C(xs)\n    c.sort()\n    return c.xs",
    "a method that is called sort": "class C:\n    def __init__(self, xs): self.xs = xs\n    def sort(self, key):\n        return [key(x) for x in self.xs]\ndef f(xs):\n    return C(xs).sort(key=lambda x: -x)",
    "sort of what has no such method": "def f(xs):\n    tuple(xs).sort(key=lambda x: -x)",
    "sort by a function that sees nothing": "def g(x):\n    return x % 3\ndef f(xs):\n    xs.sort(key=g)\n    return xs",
    "sort by a function that sees the list": "L = [3, 1]\ndef g(x):\n    return len(L)\ndef f(xs):\n    L.sort(key=g)\n    return L",
    "max by key, the first of equals": "def f(xs):\n    return max(xs, key=lambda x: x % 3), min(xs, key=key)",
    "max of nothing": "def f(xs):\n    return max([], key=key)",
    "max of several": "def f(xs):\n    return max(xs, [5], [], key=lambda x: len(x))",
    "max with a default": "def f(xs):\n    return max([], key=key, default=4)",
    "a method of an object that is just made": "class C:\n    def __init__(self, k): print('made', k); self.k = k\n    def far(self, x): print('far', x); return abs(x - self.k)\ndef f(xs):\n    return max(xs, key=C(2).far), sorted(xs, key=C(3).far, reverse=True)",
    "a method that the object does not have": "class C: pass\nclass D:\n    def far(self, x): return x\ndef f(xs):\n    return min(xs, key=C().far)",
    "max over a generator": "def f(xs):\n    return max((x for x in xs if key(x)), key=lambda x: x % 3)",
    "map consumed at once": "def f(xs):\n    return list(map(key, xs)), tuple(map(lambda x: x + 1, xs)), set(map(key, xs))",
    "sum, any, all, join": "def f(xs):\n    return sum(map(key, xs)), any(map(key, xs)), all(map(key, xs)), ','.join(map(lambda x: str(x), xs))",
    "filter": "def f(xs):\n    return list(filter(lambda x: x % 2, xs)), list(filter(key, map(key, xs)))",
    "map in a loop goes one by one": "def f(xs):\n    for y in map(key, xs):\n        print('got', y)\n        if y == -1: continue\n        if y == -2: break\n    else:\n        return 0\n    return y",
    "filter in a loop": "def f(xs):\n    x = 5\n    for y in filter(lambda x: x > 1, xs):\n        print(x, y)\n    return x, y",
    "a loop that rebinds the function": "def f(xs):\n    def g(x):\n        return x\n    for g in map(g, xs):\n        pass\n    return g",
    "a loop that grows its list": "def f(xs):\n    for y in map(lambda x: x - 1, xs):\n        if y > 0: xs.append(y)\n    return xs",
    "map that ends by StopIteration": "def g(x):\n    if x == 1: raise StopIteration\n    return x\ndef f(xs):\n    return list(map(g, xs))",
    "map kept for later": "def f(xs):\n    m = map(key, xs)\n    print('made')\n    return list(m)",
    "map over two": "def f(xs):\n    return list(map(lambda a, b: a + b, xs, xs))",
    "a builtin over a generator": "def f(xs):\n    return max((x for x in xs if key(x)), key=abs), list(map(str, (key(x) for x in xs)))",
    "a start that the function rebinds": (
        "def f(xs):\n    n = [1]\n    def g(x):\n        nonlocal n\n        n = [x]\n        return n\n"
        "    return sum(map(g, xs), n), sum((g(x) for x in xs), n)"
    ),
    "a sum that fails in the middle": "def f(xs):\n    n = 1\n    return sum((print(x) for x in xs), n)",
    "a lambda that binds": "def f(xs):\n    y = 0\n    return list(map(lambda x: (y := x), xs)), y",
    "variables stay apart": "def f(xs):\n    x = 7\n    return sorted(xs, key=lambda x: -x), list(map(lambda x: x, xs)), x",
    "a function that is rebound": "def f(xs):\n    global key\n    ys = list(map(key, xs))\n    key = abs\n    return ys",
    "rebound names": "def sorted(xs, key): return key\ndef map(f, xs): return [f]\ndef f(xs):\n    return sorted(xs, key=2), list(map(3, xs))",
    "a class that decides what is less": "class C:\n    def __init__(self, x): self.x = x\n    def __lt__(self, o): print(self.x, o.x); return self.x < o.x\ndef f(xs):\n    return sorted(xs, key=lambda x: C(x))",
    "sets as keys": "def f(xs):\n    return sorted([{1}, {2}, {1, 2}, set()], key=lambda s: s | {3})",
    "a key that returns nothing": "def g(x):\n    pass\ndef f(xs):\n    return sorted(xs, key=g)",
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("arguments", ["[]", "[3, 1, 2, 4, 1]"])
def test_behaviour_is_pythons(name: str, arguments: str) -> None:
    """Result or exception, output and arguments are those of the program as written."""
    source = KEY + SAME[name]
    before = observe(source, "f", arguments, BehaviourRecorder(1_000))
    assert before is not None
    assert before == observe(decompose(source, "f").source, "f", arguments, BehaviourRecorder(10_000))


@pytest.mark.parametrize(
    "line",
    [
        "ys = sorted(xs, key=lambda x: -x)",
        "xs.sort(key=lambda x: -x, reverse=True)",
        "k = len(xs); xs.sort(key=lambda x: x % k)",
        "y = max(xs, key=key)",
        "y = max(xs, key=[Place(2)][0].key)",
        "y = sum(map(key, filter(lambda x: x > 1, xs)))",
        "y = {x for x in map(key, xs)}",
    ],
)
def test_nothing_is_called_back(line: str) -> None:
    """Every call of a program's function is a step of its own, and no line stays whole."""
    place = "class Place:\n    def __init__(self, k): self.k = k\n    def key(self, x): return x - self.k\n"
    source = f"{KEY}{place if 'Place' in line else ''}def f(xs):\n    {line}\n    return xs"
    program = decomposed(source, "f")
    assert program.atomic == ()
    assert not any("lambda" in text or "key=" in text or "map(" in text for text in program.lines)
    frames = trace(program, "[3, 1, 2]").frames
    if "key(" in program.source.split("def f")[1]:
        assert sum(frame.event == "call" and frame.function == "key" for frame in frames) >= 2


def test_long_lists_are_sorted_as_python_does() -> None:
    """Insertion gives what Python's merge sort gives, whatever the length."""
    source = "def f(n):\n    xs = [i * 7919 % 101 for i in range(n)]\n    return sorted(xs, key=lambda x: x % 10)"
    assert control_flows(decompose(source, "f").source)
    before = observe(source, "f", "150", BehaviourRecorder(10_000))
    assert before == observe(decompose(source, "f").source, "f", "150", BehaviourRecorder(1_000_000))

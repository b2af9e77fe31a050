"""Small programs that each hide something a naive trace would miss; every one must be Markov."""

PROGRAMS: dict[str, tuple[str, str]] = {
    "loop position": ("def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t", "[3, 4, 5]"),
    "two loops over one list": (
        "def f(xs):\n    out = []\n    for a in xs:\n        for b in xs:\n            out.append((a, b))\n    return out",
        "[1, 2, 3]",
    ),
    "alias of a row": ("def f(g):\n    row = g[0]\n    row.append(9)\n    return g", "[[1], [2]]"),
    "the caller's list": ("def g(ys):\n    ys.append(1)\ndef f(xs):\n    g(xs)\n    g(xs)\n    return xs", "[]"),
    "a walrus in a line that raises": (
        "def f(xs):\n    g = lambda v: v\n    try:\n        a = [1 // (y := x) + len(locals()) for x in xs]\n"
        "    except ZeroDivisionError:\n        return y",
        "[1, 0, 2]",
    ),
    "recursion": ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)", "6"),
    "closure over a counter": (
        "def f(n):\n    c = 0\n    def up():\n        nonlocal c\n        c += 1\n        return c\n"
        "    for _ in range(n):\n        up()\n    return c",
        "3",
    ),
    "mutable default": (
        "def g(x, acc=[]):\n    acc.append(x)\n    return acc\ndef f(n):\n    g(n)\n    return g(n + 1)",
        "1",
    ),
    "module variable": (
        "N = 0\ndef g():\n    global N\n    N += 2\ndef f(k):\n    g()\n    g()\n    return N + k",
        "1",
    ),
    "return behind finally": (
        "def f(x):\n    try:\n        return 10 // x\n    except ZeroDivisionError as e:\n        return str(e)\n"
        "    finally:\n        x = 5",
        "0",
    ),
    "exception through finally into an outer handler": (
        "def f(xs):\n    out = []\n    try:\n        try:\n            out.append(xs[9])\n        finally:\n"
        "            out.append('done')\n    except (KeyError, IndexError):\n        out.append('caught')\n    return out",
        "[1]",
    ),
    "break out of try in a loop": (
        "def f(xs):\n    n = 0\n    for x in xs:\n        try:\n            if x < 0:\n                break\n            n += x\n"
        "        finally:\n            n += 100\n    else:\n        n = -1\n    return n",
        "[1, -1, 5]",
    ),
    "raise in a callee, handled by the caller": (
        "def g(x):\n    if x > 1:\n        raise ValueError('big')\n    return x\n"
        "def f(xs):\n    out = 0\n    for x in xs:\n        try:\n            out += g(x)\n        except ValueError as e:\n"
        "            out += len(str(e))\n    return out",
        "[1, 2, 3]",
    ),
    "uncaught": ("def f(d):\n    return d['missing']", "{'a': 1}"),
    "dict changes size in a loop": ("def f(d):\n    for k in d:\n        del d[k]\n    return d", "{'a': 1, 'b': 2}"),
    "enumerate and zip": (
        "def f(a, b):\n    out = {}\n    for i, (x, y) in enumerate(zip(a, b)):\n        out[x] = y * i\n    return out",
        "'abc', [1, 2, 3]",
    ),
    "comprehensions keep their scope": (
        "def f(xs):\n    x = 'kept'\n    ys = [x * 2 for x in xs if x > 1]\n    return ys, {y: y for y in ys}, x",
        "[1, 2, 3]",
    ),
    "a break of a loop inside a try": (
        "def f(n):\n    try:\n        while True:\n            n -= 1\n            if n < 0:\n                break\n"
        "    finally:\n        n = n * 2\n    for i in range(3):\n        try:\n            continue\n        finally:\n"
        "            n += i\n    return n",
        "2",
    ),
    "a map that raises in a loop": (
        "def f(xs):\n    m = map(len, xs)\n    try:\n        for x in m:\n            print(x)\n    except TypeError:\n"
        "        pass\n    return next(m)",
        "['a', 3, 'bcd']",
    ),
    "a finally that does nothing": (
        "def g(x):\n    try:\n        return 1 // x\n    finally:\n        pass\n"
        "def f(x):\n    try:\n        g(x)\n    except ZeroDivisionError:\n        x = 5\n    finally:\n        x += 1\n        -2\n    return g(x)",
        "0",
    ),
    "while with else": (
        "def f(n):\n    while n > 0:\n        n -= 2\n        if n == 1:\n            break\n    else:\n        return 'even'\n"
        "    return 'odd'",
        "5",
    ),
    "sort key called back": ("def f(xs):\n    return sorted(xs, key=lambda s: (len(s), s))", "['bb', 'a', 'cc']"),
    "generator consumed at once": ("def f(xs):\n    return sum(x * x for x in xs), max(x for x in xs)", "[1, 2, 3]"),
    "star arguments": (
        "def g(a, *rest, k=1, **more):\n    return a, rest, k, more\ndef f(xs):\n    return g(*xs, k=2, z=3)",
        "[1, 2, 3]",
    ),
    "a wrong call": (
        "def g(a, b):\n    return a\ndef f(x):\n    try:\n        return g(x)\n    except TypeError as e:\n        return str(e)",
        "1",
    ),
    "a name that is not bound": (
        "def f(flag):\n    if flag:\n        x = 1\n    try:\n        return x\n    except UnboundLocalError as e:\n        return str(e)",
        "False",
    ),
    "an instance and its method": (
        "class Box:\n    def __init__(self, n):\n        self.n = n\n    def add(self, k):\n        self.n += k\n        return self\n"
        "def f(n):\n    b = Box(n)\n    b.add(2)\n    return b.n",
        "1",
    ),
    "private attributes": (
        "class Box:\n    def __init__(self, n):\n        self.__n = n\n    def add(self, k):\n        self.__n += k\n"
        "        return [(lambda: self.__n + i)() for i in range(2)]\ndef f(n):\n    b = Box(n)\n    return b.add(2)",
        "1",
    ),
    "a name inside and outside a scope of one line": (
        "class Odd:\n    def __bool__(self):\n        return True\n"
        "def f(a, xs):\n    b = (any(a for a in xs) or a) and (lambda q=a: q)() or [a for a in xs]\n    return b, a",
        "1, [0, 2]",
    ),
    "a variable named like a module variable": (
        "N = 1\ndef f(k):\n    N = 5\n    def g():\n        global N\n        N += k\n        return N\n    return g(), N",
        "3",
    ),
    "set iteration": (
        "def f(xs):\n    t = []\n    for x in set(xs):\n        t.append(x)\n    return t",
        "[5, 3, 5, 1]",
    ),
    "strings that look like labels": ("def f(s):\n    t = [s, '#1', \"it's\"]\n    return ' '.join(t)", "'#2 [x'"),
    "swap": ("def f(a, b, c):\n    a, b = b, a\n    b, c = c, b\n    return a, b, c", "1, 2, 3"),
    "walrus and chained comparison": (
        "def f(n):\n    if 0 < (m := n - 1) < 10:\n        return m\n    return None",
        "4",
    ),
    "a finally inside a finally": (
        "def f(x):\n    out = []\n    try:\n        1 // x\n    finally:\n        try:\n            out.append(1)\n"
        "        finally:\n            print(out)\n    return out",
        "0",
    ),
    "a jump that gives up an exception": (
        "def f(x):\n    out = []\n    for k in range(2):\n        try:\n            try:\n                1 // x\n"
        "            finally:\n                out.append(1)\n                continue\n        finally:\n"
        "            out.append(2)\n    return out",
        "0",
    ),
    "a break inside a finally that is passed through": (
        "def f(x):\n    try:\n        try:\n            1 // x\n        finally:\n            for i in range(2):\n"
        "                try:\n                    1 // x\n                finally:\n                    break\n"
        "    finally:\n        print(x)",
        "0",
    ),
}

SCOPES: dict[str, tuple[str, str]] = {
    "functions that share a variable": (
        "def f(xs):\n    fs = [lambda: x for x in xs]\n    gs = {x: (lambda: x) for x in xs}\n    return [g() for g in fs], gs[xs[0]]()",
        "[3, 1, 2]",
    ),
    "consumed while it is captured": (
        "def f(xs):\n    x = 9\n    a = any((lambda: x > 1)() for x in xs)\n    b = all((lambda: x > y)() for x in xs for y in xs)\n"
        "    c = ' '.join(str((lambda: x)()) for x in xs)\n    d = max((lambda: x)() for x in xs), {(lambda: x)() for x in xs}\n"
        "    e = dict((x, (lambda: x)()) for x in xs), tuple((lambda: x)() for x in xs)\n"
        "    return a, b, c, d, e, sum((lambda: x)() for x in xs), sorted(((lambda: -x)() for x in xs), key=abs), x",
        "[3, 1, 2]",
    ),
    "a name around it that is not bound": (
        "def f(xs):\n    if not xs:\n        u = 1\n    try:\n        return sum(u + x for x in xs)\n"
        "    except NameError as e:\n        return type(e).__name__, str(e)",
        "[1]",
    ),
    "a name that a lambda inside has for itself": (
        "def f(xs):\n    if not xs:\n        n = 1\n    out = [list((lambda n: n)(x) for x in xs), min((x for x in xs), key=lambda n: (c := -n))]\n    out.append([q for q in ((lambda q: q + x)(1) for x in xs)])\n"
        "    try:\n        return list(n + (lambda: (n := 1))() for x in xs)\n    except NameError as e:\n        return type(e).__name__, out",
        "[1, 2]",
    ),
    "a variable read before its loop": (
        "def f(xs):\n    out = []\n    for _ in xs:\n        try:\n            out.append(any(z for x in xs if z for z in xs))\n"
        "        except NameError as e:\n            out.append((type(e).__name__, str(e)))\n    return out",
        "[1, 2]",
    ),
    "a walrus that reaches out": (
        "N = 0\ndef f(xs):\n    global N\n    c = 0\n    t = max((c := c + (lambda: x)()) for x in xs)\n"
        "    u = [(N := N + (lambda: x)()) for x in xs]\n    return t, c, u, N",
        "[3, 1, 2]",
    ),
    "a generator over a captured generator": (
        "def f(xs):\n    q = 7\n    a = [q for q in ((lambda: x)() for x in xs)]\n    b = sum(x for x in ((lambda: y)() for y in xs))\n"
        "    return a, b, q, sorted(map(lambda k: -k, ((lambda: y)() for y in xs)))",
        "[3, 1, 2]",
    ),
    "captured inside captured": (
        "def f(xs):\n    return [[(lambda: (x, y))() for y in xs if (lambda: x)()] for x in xs], (lambda k: [(lambda: x + k)() for x in xs])(2)",
        "[0, 1]",
    ),
    "parameters that avoid names in use": (
        "def f(items):\n    found = 5\n    return [(lambda: (x, found))() for x in items if (lambda: x)()]",
        "[0, 1]",
    ),
    "a key that binds a name": (
        "def f(xs):\n    c = 8\n    return min((x for x in xs), key=lambda k: (c := -k)), c, list(map(lambda k: (c := k), xs)), c",
        "[3, 1, 2]",
    ),
    "a sum that starts from what it is given": (
        "def g(x):\n    print(x)\n    return [x]\ndef f(xs):\n    out = []\n    for start in (xs, 's', 1):\n        try:\n"
        "            out.append(sum((g(x) for x in xs), start))\n        except TypeError as e:\n            out.append(str(e))\n    return out",
        "[3, 1]",
    ),
}
"""Comprehensions and generators whose scope can be seen."""

PROGRAMS |= SCOPES

PROGRAMS |= {
    "a comprehension kept whole": (
        "def f(xs):\n    x = 7\n    return [(c := (lambda: x)()) for x in xs], c, x",
        "[1, 2]",
    ),
    "an exception inside a comprehension kept whole": (
        "def f(xs):\n    x = 7\n    try:\n        return [(c := (lambda: 6 // x)()) for x in xs]\n"
        "    except ZeroDivisionError:\n        return x",
        "[0, 1]",
    ),
    "a running total of floats": (
        "def g(x):\n    return x / 10\ndef f(xs):\n    return sum(g(x) for x in xs), sum((x / 10 for x in xs), g(1))",
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
    ),
}

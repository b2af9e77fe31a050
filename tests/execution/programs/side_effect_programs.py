"""Small programs, each with a call, that change objects or names in ways their lines do not spell out."""

BOX = "class Box:\n    def __init__(self, v):\n        self.v = v\n"
SIDE_EFFECTS = {
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
    "iterators inside a list": (
        "def f(xs):\n    a = [iter(x) for x in xs]\n    b = dict(a)\n    c = list(a[0])\n    return b, c",
        "['ab', 'cd']",
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
    "recursion over slices": (
        "def f(xs):\n    if not xs:\n        return xs\n    a = f(xs[1:])\n    a.append(xs)\n    return a",
        "[1, 2]",
    ),
    "a property that changes its object": (
        BOX + "    @property\n    def p(self):\n        self.v = [self.v]\n        return 1\n"
        "def f(x):\n    b = Box(x)\n    y = b.p\n    z = b.p\n    return b",
        "3",
    ),
    "an attribute that is a builtin method": (
        BOX + "def f(xs):\n    b = Box(xs.append)\n    b.v(4)\n    c = b.v\n    c(5)\n    return xs",
        "[3]",
    ),
    "a constructor that changes what it is given": (
        "class Box:\n    def __init__(self, v):\n        v.append(self)\n        self.v = v\n"
        "def f(xs):\n    b = Box(xs)\n    c = Box(xs)\n    d = 1\n    return xs",
        "[3]",
    ),
    "a constructor that is called again": (
        BOX + "class Far(Box):\n    pass\n"
        "def g(b):\n    Box.__init__(b, [4])\n    return b\n"
        "def f(x):\n    b = Box(x)\n    y = [b]\n    b.__init__(7)\n    m = Box.__init__\n    m(b, 8)\n    g(b)\n"
        "    n = list(map(g, y))\n    return y, n",
        "3",
    ),
    "a ring of objects that goes": (
        BOX + "def f(x):\n    a = Box(x)\n    b = Box(a)\n    a.v = b\n    a = 1\n    c = [1]\n    b = 2\n    d = [c]\n"
        "    e = Box(d)\n    return e",
        "3",
    ),
    "an object that hands over what it held": (
        BOX
        + "def f(x):\n    a = Box([x])\n    b = Box(a.v)\n    a.v = [[x], [b]]\n    del a\n    c = [b.v]\n    return c",
        "3",
    ),
    "an iterator inside an object": (
        BOX
        + "def f(xs):\n    b = Box(iter(xs))\n    y = next(b.v)\n    z = list(b.v)\n    w = [b, b.v]\n    return y, z, w",
        "[3, 4, 5]",
    ),
    "a variable that becomes shared": (
        "def f(x):\n    n = [x]\n    m = n\n    def g():\n        nonlocal n\n        n = [n]\n        return m\n"
        "    n = 4\n    a = g()\n    n.append(a)\n    del m\n    return n",
        "3",
    ),
    "a shared variable that is not bound yet": (
        "def f(x):\n    def g():\n        return late\n    try:\n        y = g()\n    except NameError as e:\n        y = 1\n"
        "    late = [y]\n    z = g()\n    for late in z:\n        y = g()\n    return y",
        "3",
    ),
    "functions kept in a list": (
        "def f(x):\n    fs = []\n    for i in range(x):\n        def g(k=i):\n            return i, k\n        fs.append(g)\n"
        "    return [g() for g in fs]",
        "3",
    ),
    "a handler's name that is shared": (
        "def f(x):\n    def g():\n        return e\n    try:\n        x[0]\n    except TypeError as e:\n        y = g()\n"
        "    z = 1\n    try:\n        y = g()\n    except NameError:\n        y = 2\n    return y",
        "3",
    ),
    "a handler that is left in many ways": (
        "def f(xs):\n    y = []\n    for x in xs:\n        try:\n            y.append(1 // x)\n        except ZeroDivisionError as e:\n"
        "            if len(y) > 1:\n                break\n            y.append(e)\n            continue\n        finally:\n"
        "            y.append(x)\n    try:\n        y[9]\n    except IndexError as e:\n        return e",
        "[1, 0, 2, 0, 3]",
    ),
    "a line that raises and binds nothing": (
        "def f(xs):\n    a = [1]\n    b = 2\n    try:\n        a = xs[7]\n    except IndexError:\n        b = a\n"
        "    try:\n        a, b = xs\n    except ValueError:\n        c = a\n    try:\n        for b in 5:\n            pass\n"
        "    except TypeError:\n        pass\n    try:\n        a += xs.x\n    except AttributeError:\n        pass\n    return a, b",
        "[3]",
    ),
    "names of one line that come in another order": (
        "def f(x):\n    b, a = [x], [x, x]\n    a, *b = [[1], [2], [3]]\n    (c, a), b = ([1], [2]), [3]\n    return a, b, c",
        "3",
    ),
    "a list of lists": (
        "def f(n):\n    m = [[0] * n for _ in range(n)]\n    for i in range(n):\n        for j in range(n):\n"
        "            m[i][j] = m[j]\n            m[0][0] = i\n    r = m.pop()\n    m.insert(0, m)\n    return r",
        "2",
    ),
    "a default that a lambda fills": (
        "from collections import defaultdict\ndef f(x):\n    seen = []\n    d = defaultdict(lambda: seen.append(x) or [x])\n"
        "    a = d[1]\n    b, c = d[2], d[1]\n    return seen",
        "3",
    ),
}

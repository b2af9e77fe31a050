"""Small programs as people write them: chained exceptions, registries, caches, managers; every one must be Markov."""

EVERYDAY: dict[str, tuple[str, str]] = {
    "exception made with a name": (
        "class Bad(Exception):\n    def __init__(self, text, code=1):\n        super().__init__(text)\n"
        "        self.code = code\n    def __str__(self):\n        return f'[{self.code}] {self.args[0]}'\n"
        "def f(x):\n    try:\n        raise Bad('no', code=x)\n    except Bad as error:\n"
        "        return str(error), error.code, error.args",
        "2",
    ),
    "exception made of stars": (
        "class Plain(Exception):\n    pass\nclass Own(Exception):\n    def __init__(self, *parts):\n"
        "        super().__init__(*parts)\ndef f(xs):\n    out = []\n    for kind in (Plain, Own):\n        try:\n"
        "            raise kind(*xs)\n        except Exception as error:\n            out.append(error.args)\n    return out",
        "[1, 2]",
    ),
    "exception that takes no names": (
        "class Plain(Exception):\n    pass\ndef f(x):\n    try:\n        raise Plain(code=x)\n"
        "    except TypeError as error:\n        return str(error)",
        "2",
    ),
    "a function called replace": (
        "from dataclasses import dataclass\n@dataclass\nclass Own:\n    a: int\ndef replace(own, a):\n    return own.a, a\n"
        "def f(n):\n    return replace(Own(n), a=2)",
        "1",
    ),
    "starred range": (
        "def g(*xs):\n    return sum(xs)\ndef f(n):\n    return g(*range(n)), g(1, *range(n, 0, -1))",
        "3",
    ),
    "exceptions of the library": (
        "import json\nimport re\nfrom decimal import Decimal, InvalidOperation\ndef f(text):\n    out = []\n    try:\n"
        "        Decimal(text)\n    except InvalidOperation:\n        out.append('decimal')\n    try:\n"
        "        json.loads(text)\n    except json.JSONDecodeError as error:\n        out.append((error.pos, str(error)))\n"
        "    try:\n        re.compile('(')\n    except re.error:\n        out.append('re')\n    try:\n        json.loads(text)\n"
        "    except ValueError:\n        out.append('value')\n    return out",
        "'x1'",
    ),
    "flags of patterns": (
        "import re\ndef f(text):\n    flags = re.IGNORECASE | re.M\n    if flags & re.I:\n"
        "        return re.findall('^a', text, flags), re.sub('B', 'x', text, flags=re.I)\n    return None",
        "'Ab\\nab'",
    ),
    "registry of functions": (
        "class Registry:\n    def __init__(self):\n        self.known = {}\n    def register(self, name):\n"
        "        def keep(function):\n            self.known[name] = function\n            return function\n        return keep\n"
        "registry = Registry()\n@registry.register('add')\ndef add(a, b):\n    return a + b\n"
        "@registry.register('neg')\ndef neg(a):\n    return -a\n"
        "def f(n):\n    return registry.known['add'](n, 1), registry.known['neg'](n), add(2, n), sorted(registry.known)",
        "3",
    ),
    "another name of a function": (
        "def add(a, b):\n    return a + b\nplus = add\nclass Sum:\n    run = plus\ndef f(a):\n    return plus(a, 1)",
        "3",
    ),
    "cache that counts": (
        "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef fib(n):\n"
        "    return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef f(n):\n    a = fib(n)\n    info = fib.cache_info()\n"
        "    fib.cache_clear()\n    return a, info.hits, info, fib.cache_info()",
        "5",
    ),
    "cache that forgets": (
        "from functools import lru_cache\nLOG = []\n@lru_cache(maxsize=2)\ndef slow(n):\n    LOG.append(n)\n    return n * n\n"
        "@lru_cache(maxsize=1)\ndef last(n, oldest):\n    LOG.append(n)\n    return n + oldest\n"
        "def f(xs):\n    return [slow(x) for x in xs], slow.cache_info(), [last(x, 1) for x in xs], LOG",
        "[1, 2, 1, 3, 2, 2]",
    ),
    "manager with names": (
        "from contextlib import contextmanager\n@contextmanager\ndef changed(d, *, keep=False, **changes):\n"
        "    old = {k: d.get(k) for k in changes}\n    d.update(changes)\n    try:\n        yield d\n    finally:\n"
        "        for k, v in old.items():\n            if v is not None and not keep:\n                d[k] = v\n"
        "def f(n):\n    k, out = 5, []\n    config = {'a': n}\n    with changed(config, a=1, b=2) as c:\n"
        "        out.append(dict(c))\n        with changed(config, keep=True, a=7):\n            out.append(config['a'])\n"
        "    return out, config, k",
        "3",
    ),
    "manager that is a method": (
        "from contextlib import contextmanager\nclass Doc:\n    def __init__(self):\n        self.lines, self.depth = [], 0\n"
        "    @contextmanager\n    def deeper(self, by=1):\n        self.depth += by\n        try:\n            yield self\n"
        "        finally:\n            self.depth -= by\n    def write(self, text):\n"
        "        self.lines.append(' ' * self.depth + text)\n    def section(self, title, *items):\n"
        "        self.write(title)\n        with self.deeper():\n            for item in items:\n                self.write(item)\n"
        "def f(word):\n    doc = Doc()\n    doc.section('A', word)\n    with doc.deeper(2) as d:\n        d.section('B')\n"
        "    return doc.lines, doc.depth",
        "'x'",
    ),
    "suppressed exceptions": (
        "import contextlib\nfrom contextlib import suppress\nclass Own(Exception):\n    pass\ndef f(xs):\n    out = []\n"
        "    for x in xs:\n        with suppress(ZeroDivisionError, TypeError):\n            out.append(1 / x)\n"
        "        with contextlib.suppress(Own):\n            if x:\n                continue\n            raise Own(x)\n"
        "        out.append('after')\n    with suppress(KeyError), suppress(IndexError):\n        out.append({}[1])\n"
        "    return out",
        "[1, 0, 'a']",
    ),
    "iterator that begins anew": (
        "class Fib:\n    def __init__(self, limit):\n        self.limit = limit\n    def __iter__(self):\n"
        "        self.a, self.b = 0, 1\n        return self\n    def __next__(self):\n        if self.a > self.limit:\n"
        "            raise StopIteration\n        value = self.a\n        self.a, self.b = self.b, self.a + self.b\n"
        "        return value\ndef f(n):\n    fib = Fib(n)\n    out = list(fib)\n    it = iter(fib)\n    next(it)\n"
        "    out += [x for x in it if x % 2]\n    for i, x in enumerate(fib):\n        out.append(i * x)\n"
        "    return out, sum(fib), 3 in fib",
        "5",
    ),
    "cached properties": (
        "from functools import cached_property\nclass Cart:\n    def __init__(self, prices):\n        self.prices = prices\n"
        "    @cached_property\n    def total(self):\n        print('added')\n        return sum(self.prices)\n"
        "class Sale(Cart):\n    @cached_property\n    def total(self):\n        return super().total - 1\n"
        "def f(prices):\n    a, b = Cart(prices), Sale(prices)\n    out = [a.total, a.total, b.total, b.total]\n"
        "    prices.append(5)\n    out.append(a.total)\n    del a.total\n    out.append(a.total)\n    b.total = 0\n"
        "    try:\n        del a.total\n        del a.total\n    except AttributeError as error:\n"
        "        out.append(str(error))\n    return out, b.total",
        "[1, 2]",
    ),
    "keys compared by their fields": (
        "class Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n    def __eq__(self, other):\n"
        "        if not isinstance(other, Point):\n            return NotImplemented\n"
        "        return (self.x, self.y) == (other.x, other.y)\n    def __hash__(self):\n"
        "        return hash((self.x, self.y))\ndef f(n):\n    seen = {Point(0, 0)}\n    for x in range(n):\n"
        "        seen.add(Point(x % 2, 0))\n    names = {Point(1, 0): 'a'}\n    names[Point(1, 0)] = 'b'\n"
        "    return len(seen), Point(1, 0) in seen, names.get(Point(1, 0)), len(names)",
        "3",
    ),
    "frozen records as keys": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Cell:\n    row: int\n    column: int\n"
        "    def __add__(self, other):\n        return Cell(self.row + other.row, self.column + other.column)\n"
        "def f(n):\n    counts = {}\n    for i in range(n):\n        cell = Cell(i % 2, 0) + Cell(0, 1)\n"
        "        counts[cell] = counts.get(cell, 0) + 1\n    return [(cell.row, k) for cell, k in counts.items()]",
        "3",
    ),
    "records replaced and written": (
        "from dataclasses import asdict, astuple, dataclass, replace\n@dataclass(frozen=True, order=True)\nclass Version:\n"
        "    major: int\n    minor: int = 0\n    def __str__(self):\n        return f'v{self.major}.{self.minor}'\n"
        "    def bump(self):\n        return replace(self, minor=self.minor + 1)\n"
        "def f(n):\n    a = Version(n)\n    b = a.bump()\n    return str(b), asdict(b), astuple(a), a < b, {b: 1}[b]",
        "2",
    ),
    "functions taken apart": (
        "def counter(start):\n    count = start\n    def add(n):\n        nonlocal count\n        count += n\n"
        "        return count\n    def reset():\n        nonlocal count\n        count = start\n    return add, reset\n"
        "def f(xs):\n    add, reset = counter(10)\n    out = [add(x) for x in xs]\n    reset()\n"
        "    return out, add(0)",
        "[1, 2]",
    ),
    "operators under two names": (
        "class Vector:\n    def __init__(self, x):\n        self.x = x\n    def __add__(self, other):\n"
        "        return Vector(self.x + other.x)\n    def __mul__(self, k):\n        return Vector(self.x * k)\n"
        "    __rmul__ = __mul__\ndef f(n):\n    return sum([2 * Vector(n), Vector(1)], Vector(0)).x",
        "3",
    ),
    "starred text": ("def g(a, b):\n    return b + a\ndef f(text):\n    return g(*text)", "'xy'"),
    "dict that makes its items": (
        "from collections import defaultdict\nclass Table:\n    def __init__(self):\n"
        "        self.rows = defaultdict(lambda: defaultdict(int))\n    def add(self, a, b):\n"
        "        self.rows[a][b] += 1\ndef one():\n    return 1\ndef f(words):\n    t = Table()\n    for a, b in words:\n"
        "        t.add(a, b)\n    d = defaultdict(one)\n    d['x' + words[0]] += 5\n    d['y'] -= 1\n"
        "    e = defaultdict(lambda: [0, ''])\n    for w in words:\n        e[w][0] += 1\n        e[w[0]][1] += w\n"
        "    d['n'] = len(e)\n    del d['y']\n    return {k: dict(v) for k, v in t.rows.items()}, dict(d), d['new'], "
        "dict(e), sorted(e), 'q' in e, e.get('q'), list(d.items()), d.pop('new')",
        "['ab', 'ba', 'ab']",
    ),
    "parts of a partial function": (
        "from functools import partial\ndef power(base, exponent):\n    return base ** exponent\ndef f(n):\n"
        "    square, two = partial(power, exponent=2), partial(power, 2)\n    return square(n), square.func is power, "
        "square.keywords, square.args, two(3), two.args, square(n, exponent=1)",
        "7",
    ),
    "coroutines that pause": (
        "import asyncio\nasync def fetch(n, log):\n    log.append(n)\n    await asyncio.sleep(0.001)\n    return n * 2\n"
        "async def main(n):\n    log = []\n    found = [await fetch(i, log) for i in range(n)]\n    return found, log\n"
        "def f(n):\n    return asyncio.run(main(n))",
        "2",
    ),
    "coroutines that are gathered": (
        "import asyncio\nasync def work(n: int) -> int:\n    await asyncio.sleep(0.001 * n)\n    return n * n\n"
        "async def main(n):\n    found = await asyncio.gather(*(work(i) for i in range(n)))\n"
        "    a, b = await asyncio.gather(work(1), work(2))\n    tasks = [asyncio.create_task(work(i)) for i in range(2)]\n"
        "    return found, a + b, [await task for task in tasks]\ndef f(n):\n    return asyncio.run(main(n))",
        "3",
    ),
    "generators taken apart": (
        "LOG = []\ndef count(n):\n    for i in range(n):\n        LOG.append(i)\n        yield i\ndef f(n):\n    out = []\n"
        "    a, b, c = count(n)\n    try:\n        x, y = count(9)\n    except ValueError as error:\n"
        "        out.append(str(error))\n    try:\n        x, y = count(1)\n    except ValueError as error:\n"
        "        out.append(str(error))\n    first, *rest = count(n)\n    [k] = count(1)\n"
        "    return a, b, c, out, first, rest, k, LOG",
        "3",
    ),
    "generator that hands on an expression": (
        "def flat(d, path=()):\n    for k, v in d.items():\n        i = (*path, k)\n        if isinstance(v, dict):\n"
        "            yield from flat(v, i)\n        else:\n            yield from (('.'.join(i) + str(j), x) for j, x in enumerate(v))\n"
        "def f(d):\n    return dict(flat(d))",
        "{'a': {'b': [1, 2]}, 'c': [3]}",
    ),
    "fields of an object": (
        "class Shown:\n    def __repr__(self):\n        body = ', '.join(f'{k}={v!r}' for k, v in vars(self).items())\n"
        "        return f'{type(self).__name__}({body})'\nclass User(Shown):\n    def __init__(self, name):\n"
        "        self.name, self.age = name, 3\ndef f(name):\n    return repr(User(name))",
        "'a'",
    ),
    "functions by class": (
        "from functools import singledispatch\nclass Base:\n    pass\nclass Derived(Base):\n    pass\n@singledispatch\n"
        "def show(value):\n    return f'other {value!r}'\n@show.register\ndef _(value: int):\n    return f'int {value}'\n"
        "@show.register(bool)\ndef _(flag):\n    return 'yes' if flag else 'no'\n@show.register\ndef _(value: Base) -> str:\n"
        "    return 'base'\n@show.register(Derived)\ndef derived(value):\n    return 'derived ' + show(1)\n"
        "@show.register(list)\ndef _(value):\n    return ' '.join(show(each) for each in value)\n"
        "def f(values):\n    return show(values), show(Base()), show(Derived())",
        "[1, True, None, [2.5]]",
    ),
    "records with slots and names": (
        "from dataclasses import dataclass, field\n@dataclass(slots=True)\nclass Point:\n    x: int\n"
        "    tags: list = field(default_factory=list)\n    def move(self, by):\n        self.x += by\n        return self\n"
        "@dataclass(kw_only=True, frozen=True)\nclass Config:\n    name: str = 'a'\n    size: int\n"
        "def f(n):\n    p = Point(n).move(2)\n    p.tags.append(1)\n    out = []\n    for extra in ({}, {'other': 2}):\n"
        "        try:\n            Config(**extra)\n        except TypeError as error:\n            out.append(str(error))\n"
        "    return repr(p), Config(size=3).size, out, p == Point(n + 2, [1])",
        "3",
    ),
    "copies that lead back to themselves": (
        "from copy import deepcopy\nclass Node:\n    def __init__(self, parent=None):\n        self.parent, self.kids = parent, []\n"
        "        if parent:\n            parent.kids.append(self)\ndef f(n):\n    xs = [n]\n    xs.append(xs)\n    ys = deepcopy(xs)\n"
        "    root = Node()\n    a, b = Node(root), Node(root)\n    other, kid = deepcopy(root), deepcopy(a)\n"
        "    return ys[1] is ys, other.kids[0].parent is other, kid.parent.kids[0] is kid, len(kid.parent.kids)",
        "3",
    ),
}
"""Programs of one function `f` and its arguments."""

REFUSED: dict[str, tuple[str, str, str]] = {
    "context of an exception": (
        "def f(x):\n    try:\n        try:\n            int(x)\n        except ValueError as error:\n"
        "            raise KeyError(x) from error\n    except KeyError as error:\n        return str(error.__context__)",
        "'a'",
        "__context__ of an exception",
    ),
    "arguments of an exception that are set": (
        "def f(n):\n    try:\n        raise ValueError(n)\n    except ValueError as error:\n        error.args = (1,)\n"
        "        return error.args",
        "2",
        "args of an exception",
    ),
    "class whose name means another": (
        "def once(kind):\n    made = {}\n    kind.tag = 1\n    def get():\n        if kind not in made:\n            made[kind] = kind()\n"
        "        return made[kind]\n    return get\n@once\nclass Config:\n    pass\ndef f(n):\n    return Config() is Config()",
        "2",
        "a class that no name of the module means",
    ),
}
"""Programs with the reason why a line of theirs is unsupported."""

"""Small programs that use containers and functions of the standard library; every one must be Markov."""

LIBRARY: dict[str, tuple[str, str]] = {
    "deque": (
        "from collections import deque\ndef f(xs):\n    q = deque(xs)\n    out = []\n    while q:\n"
        "        x = q.popleft()\n        out.append(x)\n        if x > 2:\n            q.append(x - 2)\n    return out",
        "[1, 4]",
    ),
    "deque with a limit": (
        "from collections import deque\ndef f(xs):\n    q = deque(maxlen=2)\n    for x in xs:\n        q.append(x)\n"
        "    q.appendleft(0)\n    q.rotate(1)\n    return list(q), q.maxlen, q[0], len(q)",
        "[1, 2, 3]",
    ),
    "loop over a deque": (
        "from collections import deque\ndef f(xs):\n    t = 0\n    for i, x in enumerate(deque(xs)):\n        t += i * x\n"
        "    for x in reversed(deque(xs)):\n        t = t * 2 + x\n    return t",
        "[3, 4, 5]",
    ),
    "graph search": (
        "import collections\ndef f(edges, start):\n    graph = collections.defaultdict(list)\n    for a, b in edges:\n"
        "        graph[a].append(b)\n        graph[b].append(a)\n    seen = {start}\n    queue = collections.deque([start])\n"
        "    while queue:\n        node = queue.popleft()\n        for other in graph[node]:\n"
        "            if other not in seen:\n                seen.add(other)\n                queue.append(other)\n"
        "    return sorted(seen), dict(graph)",
        "[(1, 2), (2, 3), (4, 5)], 1",
    ),
    "defaultdict of int": (
        "from collections import defaultdict\ndef f(s):\n    d = defaultdict(int)\n    for c in s:\n        d[c] += 1\n"
        "    d['z']\n    return d, d.default_factory is int, 'q' in d",
        "'aba'",
    ),
    "defaultdict of a function": (
        "from collections import defaultdict\ndef one():\n    return 1\ndef f(s):\n    d = defaultdict(one)\n"
        "    d['a'] += 1\n    e = defaultdict(lambda: [0])\n    e[1].append(2)\n    return dict(d), e[1]",
        "'a'",
    ),
    "nested defaultdict": (
        "from collections import defaultdict\ndef f(rows):\n    t = defaultdict(lambda: defaultdict(int))\n"
        "    for a, b in rows:\n        t[a][b] += 1\n    return {k: dict(v) for k, v in t.items()}",
        "[('x', 1), ('x', 1), ('y', 2)]",
    ),
    "Counter": (
        "from collections import Counter\ndef f(s):\n    c = Counter(s)\n    c['a'] += 2\n    c.update('bb')\n"
        "    d = c - Counter('ab')\n    return c.most_common(2), c['q'], sum(c.values()), d",
        "'abca'",
    ),
    "loop over a Counter": (
        "from collections import Counter\ndef f(s):\n    out = []\n    for k, v in Counter(s).items():\n"
        "        out.append(k * v)\n    for k in Counter(s):\n        out.append(k)\n    return out",
        "'abca'",
    ),
    "OrderedDict": (
        "from collections import OrderedDict\ndef f(pairs):\n    d = OrderedDict(pairs)\n    d.move_to_end('a')\n"
        "    first = d.popitem(last=False)\n    d['n'] = 1\n    return first, list(d), d",
        "[('a', 1), ('b', 2), ('c', 3)]",
    ),
    "loop over an OrderedDict": (
        "from collections import OrderedDict\ndef f(pairs):\n    d = OrderedDict(pairs)\n    t = ''\n"
        "    for k in d:\n        t += k\n    for k, v in d.items():\n        t += k * v\n    return t",
        "[('a', 1), ('b', 2)]",
    ),
    "namedtuple": (
        "from collections import namedtuple\nPoint = namedtuple('Point', 'x y')\ndef f(a):\n    p = Point(a, y=2)\n"
        "    q = p._replace(x=5)\n    x, y = q\n    return p.x + q.x, p[1], p == (a, 2), q._asdict(), x * y, q",
        "1",
    ),
    "NamedTuple class": (
        "from typing import NamedTuple\nclass Point(NamedTuple):\n    x: int\n    y: int = 0\n"
        "def f(a):\n    p = Point(a)\n    ps = sorted([Point(3, 1), p])\n    return p, ps[0].x, [q.y for q in ps]",
        "1",
    ),
    "Enum": (
        "from enum import Enum\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\ndef f(n):\n    c = Color.RED\n"
        "    d = Color(n)\n    e = Color['BLUE']\n    return c is d, d.name, d.value, d == e, {c: 1}[c], [x.name for x in Color], list(Color)[0].value",
        "2",
    ),
    "IntEnum": (
        "from enum import IntEnum\nclass Level(IntEnum):\n    LOW = 1\n    HIGH = 3\ndef f(n):\n    a = Level(n)\n"
        "    b = a + 1\n    return b, a < Level.HIGH, {a: 'x'}",
        "1",
    ),
    "heapq": (
        "import heapq\ndef f(xs):\n    h = list(xs)\n    heapq.heapify(h)\n    heapq.heappush(h, 0)\n"
        "    a = heapq.heappop(h)\n    b = heapq.heappushpop(h, 9)\n    c = heapq.heapreplace(h, 7)\n"
        "    return a, b, c, h, heapq.nsmallest(2, xs), heapq.nlargest(1, xs)",
        "[5, 2, 8]",
    ),
    "shortest path": (
        "from heapq import heappush, heappop\ndef f(graph, start):\n    best = {start: 0}\n    heap = [(0, start)]\n"
        "    while heap:\n        cost, node = heappop(heap)\n        if cost > best[node]:\n            continue\n"
        "        for other, weight in graph[node].items():\n            new = cost + weight\n"
        "            if new < best.get(other, float('inf')):\n                best[other] = new\n"
        "                heappush(heap, (new, other))\n    return best",
        "{'a': {'b': 2, 'c': 5}, 'b': {'c': 1}, 'c': {}}, 'a'",
    ),
    "bisect": (
        "import bisect\ndef f(xs, x):\n    i = bisect.bisect_left(xs, x)\n    bisect.insort(xs, x)\n"
        "    return i, bisect.bisect(xs, x), xs",
        "[1, 3, 5], 3",
    ),
    "itertools consumed at once": (
        "import itertools\ndef f(a, b):\n    return (list(itertools.chain(a, b)), list(itertools.product(a, b)),\n"
        "        list(itertools.permutations(a)), list(itertools.combinations(b, 2)), list(itertools.accumulate(a)),\n"
        "        list(itertools.islice(b, 1)), list(itertools.repeat(1, 2)))",
        "[1, 2], [3, 4]",
    ),
    "itertools in loops": (
        "from itertools import product, combinations, permutations, chain, islice, count, zip_longest, accumulate\n"
        "def f(a, b):\n    t = 0\n    for x, y in product(a, b):\n        t += x * y\n    for x, y in combinations(a, 2):\n"
        "        t = t * 3 + x - y\n    for p in permutations(b):\n        t += p[0]\n    for x in chain(a, b):\n"
        "        t += x\n    for x in islice(a, 1):\n        t -= x\n    for x in count(3):\n        if x > 5:\n"
        "            break\n        t += x\n    for x, y in zip_longest(a, [1]):\n        t += x if y is None else y\n"
        "    for x in accumulate(a):\n        t += x\n    return t",
        "[1, 2], [3, 4]",
    ),
    "itertools kept": (
        "import itertools\ndef f(xs):\n    numbers = itertools.count(1)\n    turns = itertools.cycle('ab')\n    out = []\n"
        "    for x in xs:\n        out.append((next(numbers), x, next(turns)))\n    rest = itertools.repeat('q')\n"
        "    return out, next(rest)",
        "[5, 6, 7]",
    ),
    "accumulate with a function of Python's": (
        "from itertools import accumulate\ndef f(xs):\n    return list(accumulate(xs, max))",
        "[1, 1, 2, 4, 1]",
    ),
    "reduce": (
        "from functools import reduce\ndef f(xs):\n    a = reduce(lambda p, q: p * q, xs)\n    b = reduce(max, xs, 0)\n"
        "    return a, b",
        "[2, 3, 4]",
    ),
    "reduce with a function of the program": (
        "import functools\ndef add(a, b):\n    return a + b\ndef f(xs):\n    return functools.reduce(add, xs, 10)",
        "[2, 3, 4]",
    ),
    "partial": (
        "from functools import partial\ndef scale(k, x):\n    return k * x\ndef f(xs):\n    double = partial(scale, 2)\n"
        "    return [double(x) for x in xs]",
        "[1, 2]",
    ),
    "lru_cache": (
        "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef fib(n):\n    if n < 2:\n        return n\n"
        "    return fib(n - 1) + fib(n - 2)\ndef f(n):\n    return fib(n), fib(n)",
        "5",
    ),
    "cache": (
        "import functools\n@functools.cache\ndef steps(n):\n    return 1 if n < 2 else steps(n - 1) + steps(n - 2)\n"
        "def f(n):\n    a = steps(n)\n    b = steps(n + 1)\n    return a, b",
        "3",
    ),
    "math": (
        "import math\nfrom math import gcd, pi\ndef f(a, b):\n    r = math.sqrt(a) + math.floor(2.5) + gcd(a, b)\n"
        "    return r, math.ceil(b / a), math.comb(5, 2), math.prod([a, b]), round(pi, 2), math.inf > a, math.isclose(r, r)",
        "4, 6",
    ),
    "string": (
        "import string\ndef f(s):\n    return ''.join(c for c in s if c in string.ascii_lowercase), string.digits[:3], "
        "string.capwords(s)",
        "'aB c'",
    ),
    "copy": (
        "import copy\nfrom copy import deepcopy\ndef f(g):\n    a = copy.copy(g)\n    b = deepcopy(g)\n    g[0].append(9)\n"
        "    return a, b, a[0] is g[0]",
        "[[1], [2]]",
    ),
    "operator": (
        "import operator\nfrom operator import itemgetter, attrgetter, mul\ndef f(rows):\n    rows.sort(key=itemgetter(1))\n"
        "    best = max(rows, key=operator.itemgetter(0))\n    ops = {'+': operator.add, '*': mul}\n"
        "    return rows, best, ops['+'](2, 3), ops['*'](2, 3), operator.neg(4), list(map(operator.itemgetter(0), rows))",
        "[(1, 5), (2, 3)]",
    ),
    "Fraction": (
        "from fractions import Fraction\ndef f(n):\n    t = Fraction(0)\n    for k in range(1, n):\n        t += Fraction(1, k)\n"
        "    return t, t.numerator, str(t), t > 1, float(t)",
        "4",
    ),
    "Decimal": (
        "from decimal import Decimal, ROUND_HALF_UP\ndef f(prices):\n    total = sum((Decimal(p) for p in prices), Decimal('0'))\n"
        "    rounded = total.quantize(Decimal('0.1'), rounding=ROUND_HALF_UP)\n    return total, rounded, str(rounded)",
        "['1.25', '2.10']",
    ),
    "date and timedelta": (
        "from datetime import date, timedelta\nimport datetime\ndef f(y, m, d, n):\n    day = date(y, m, d)\n"
        "    later = day + timedelta(days=n)\n    gap = later - day\n    out = []\n    while day < later:\n"
        "        out.append(day.weekday())\n        day += timedelta(days=2)\n"
        "    return later, gap.days, later.isoformat(), out, datetime.date(2024, 1, 1).year",
        "2024, 2, 27, 3",
    ),
    "datetime": (
        "from datetime import datetime, timedelta\ndef f(text):\n    t = datetime.strptime(text, '%Y-%m-%d %H:%M')\n"
        "    u = t + timedelta(hours=3, minutes=30)\n    return u, u.strftime('%d.%m. %H:%M'), (u - t).total_seconds()",
        "'2024-02-28 22:00'",
    ),
    "re functions": (
        "import re\ndef f(s):\n    return re.findall(r'\\d+', s), re.sub(r'\\s+', ' ', s), re.split(r',', s), "
        "bool(re.match('a', s))",
        "'a 12,  b3'",
    ),
    "re matches": (
        "import re\ndef f(s):\n    m = re.match(r'(\\w+)-(\\d+)', s)\n    if not m:\n        return None\n"
        "    name, number = m.groups()\n    n = re.search(r'(?P<last>\\d)$', s)\n"
        "    return m.group(0), m.group(1), name, int(number), m.start(2), m.end(), n['last'], n.groupdict(), m.span(1)",
        "'item-42'",
    ),
    "compiled patterns": (
        "import re\nWORD = re.compile(r'[a-z]+', re.IGNORECASE)\ndef f(s):\n    found = WORD.findall(s)\n"
        "    pair = re.compile('(.)(.)')\n    m = pair.match(s)\n    return found, WORD.sub('*', s), m.group(2)",
        "'Ab 1 cd'",
    ),
    "imports inside a function": (
        "def f(xs):\n    import heapq, itertools as it\n    from collections import Counter as C\n"
        "    return heapq.nlargest(2, xs), list(it.chain(xs, xs)), C(xs).most_common(1)",
        "[3, 1, 3]",
    ),
    "Counter of words sorted by key": (
        "from collections import Counter\ndef f(text):\n    counts = Counter(text.split())\n"
        "    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:2]",
        "'b a b c a b'",
    ),
    "containers hold containers": (
        "from collections import deque, defaultdict, Counter\ndef f(n):\n    d = defaultdict(deque)\n    d[0].append(n)\n"
        "    d[0].append(Counter([n]))\n    e = d[0]\n    e.popleft()\n    return d, len(e)",
        "1",
    ),
    "positions of library iterators": (
        "from itertools import *\ndef f(xs, s):\n    out = []\n    for p in permutations(xs, 2):\n        out.append(p)\n"
        "    for p in combinations([xs, 3, 4], 2):\n        out.append(p)\n"
        "    for p in combinations_with_replacement(s, 2):\n        out.append(p)\n"
        "    for x in chain(xs, s, (7,), range(2), {1: 2}, {3: 4}.items()):\n        out.append(x)\n"
        "    for x in chain.from_iterable([xs, [], xs]):\n        out.append(x)\n"
        "    for x in islice(xs * 3, 1, 6, 2):\n        out.append(x)\n"
        "    for i, x in enumerate(islice(count(3, 2), 3)):\n        out.append(x)\n"
        "    for x in repeat(xs, 2):\n        out.append(x)\n    for x in compress(s, [0, 1]):\n        out.append(x)\n"
        "    for a, b in zip_longest(xs, s + 'cd', fillvalue=0):\n        out.append(b)\n"
        "    for x in product([], xs):\n        out.append(x)\n    for x in permutations(xs, 0):\n        out.append(x)\n"
        "    for x in combinations(xs, 5):\n        out.append(x)\n    return out",
        "[1, 2], 'ab'",
    ),
    "a cycle turns": (
        "from itertools import cycle\ndef f(xs):\n    out = []\n    for x in cycle(xs):\n        out.append(x)\n"
        "        if len(out) > 6:\n            break\n    return out",
        "[1, 2, 3]",
    ),
    "a cycle of one": (
        "from itertools import cycle\ndef f(x):\n    n = 0\n    for y in cycle([x]):\n        n += y\n"
        "        if n > 6:\n            break\n    return n",
        "2",
    ),
    "lazy functions of itertools": (
        "from itertools import takewhile, dropwhile, filterfalse, starmap, accumulate, pairwise\n"
        "def big(x):\n    return x > 4\ndef f(xs):\n    a = list(takewhile(lambda x: x < 6, xs))\n"
        "    b = [x for x in dropwhile(lambda x: x < 4, xs)]\n    c = list(filterfalse(big, xs))\n"
        "    d = list(filterfalse(None, [0, 1]))\n    e = list(starmap(pow, [(2, 3), (3, 2)]))\n"
        "    g = list(accumulate(xs, lambda p, q: p * q, initial=1))\n    h = [y - x for x, y in pairwise(xs)]\n"
        "    i = sum(takewhile(str.isdigit, [])) if not xs else 0\n    return a, b, c, d, e, g, h, i",
        "[1, 5, 2, 7, 7]",
    ),
    "groups": (
        "from itertools import groupby\ndef f(xs):\n    a = [(k, list(v)) for k, v in groupby(xs, key=lambda x: x > 4)]\n"
        "    b = {k: len(list(v)) for k, v in groupby('aabbbc')}\n    out = []\n    for key, group in groupby(xs):\n"
        "        for item in group:\n            out.append((key, item))\n            break\n    return a, b, out",
        "[1, 5, 2, 7, 7]",
    ),
    "groups that are used too late are empty": (
        "from itertools import groupby\ndef f(xs):\n    held = []\n    for key, group in groupby(xs):\n"
        "        held.append(group)\n    return [[x for x in group] for group in held]",
        "[1, 1, 2]",
    ),
    "text of an own exception": (
        "class Failed(ValueError):\n    def __init__(self, name):\n        super().__init__(name + ' failed')\n"
        "class Other(Exception):\n    pass\ndef f(xs):\n    out = []\n    for x in xs:\n        try:\n            if x == 'a':\n"
        "                raise Failed(x)\n            raise Other(x, 1)\n        except Failed as error:\n"
        "            out.append(str(error))\n        except Other as error:\n            out.append(f'{error}!')\n    return out",
        "['a', 'b']",
    ),
    "rotated deques": (
        "from collections import deque\ndef f(xs):\n    q = deque(xs, 3)\n    q.rotate(1)\n    q.rotate(-1)\n    p = deque()\n"
        "    p.rotate(2)\n    return q, p",
        "[1, 2, 3, 4]",
    ),
    "helpers while the module is loaded": (
        "from collections import Counter\nfrom functools import reduce\ndef g(xs):\n    return reduce(lambda a, b: a + b, xs)\n"
        "START = g([1, 2])\ndef f(xs):\n    t = {1: xs}\n    return START + g(xs), Counter(xs), t.get(1, []), t.get(2, [])",
        "[1, 2, 2]",
    ),
    "counting one by one": (
        "import collections\nfrom collections import Counter\ndef f(xs):\n    a = Counter(xs)\n    b = Counter({'a': 2})\n"
        "    c = Counter(x * 2 for x in xs)\n    d = Counter('hello').most_common(1)\n    try:\n        Counter([xs])\n"
        "    except TypeError as error:\n        return a, b, c, d, Counter(a=1), Counter(), Counter(b), str(error), "
        "collections.Counter(xs)",
        "[1, 2, 2]",
    ),
    "arrangements in a list": (
        "from itertools import combinations, permutations, product\ndef f(xs):\n    a = list(combinations(xs, 2))\n"
        "    b = list(product(xs, repeat=2))\n    c = sorted(permutations(xs[:2]))\n    return a, b[:3], c",
        "['ab', 'b', 'c']",
    ),
    "sums of amounts": (
        "from fractions import Fraction\nfrom decimal import Decimal\ndef f(xs):\n"
        "    held = {x: Fraction(1, x) for x in xs}\n    a = sum(held.values(), Fraction(0))\n"
        "    b = sum([Decimal('0.1')] * 3, Decimal(0))\n    c = sum((Fraction(x, 3) for x in xs), Fraction(1, 2))\n"
        "    return a, b, c, sum(xs), sum(xs, 1)",
        "[1, 2, 4]",
    ),
    "binary search": (
        "import bisect\nfrom bisect import bisect_left, bisect_right\ndef f(xs):\n    out = []\n    for x in (0, 2, 5, 9):\n"
        "        out.append((bisect_left(xs, x), bisect_right(xs, x), bisect.bisect(xs, x)))\n"
        "    return out, bisect_left(xs, 2, 2), bisect_left([], 1)",
        "[1, 2, 2, 7]",
    ),
    "groups beside a class that is iterable": (
        "from itertools import groupby\nclass Row:\n    def __init__(self, cells):\n        self.cells = cells\n"
        "    def __getitem__(self, place):\n        return self.cells[place]\ndef f(xs):\n"
        "    return [(k, list(v)) for k, v in groupby(xs, key=lambda x: x > 4)], list(Row(xs))",
        "[1, 5, 2, 7, 7]",
    ),
    "generators in containers": (
        "def some(n):\n    yield n\n    yield -n\ndef f(xs):\n    listed = [some(x) for x in xs]\n"
        "    named = {x: some(x) for x in xs}\n    pair = (some(1), some(2))\n"
        "    return [list(g) for g in listed], [sum(g) for g in named.values()], {k: sorted(g) for k, g in "
        "named.items()}, [max(g) for g in pair]",
        "[1, 5, 2]",
    ),
    "library iterators over generators": (
        "from itertools import islice, chain\ndef some(n):\n    i = 0\n    while True:\n        yield i\n        i += n\n"
        "def few(n):\n    for i in range(n):\n        yield i\ndef f(n):\n    g = some(2)\n"
        "    a = list(islice(g, 1, 6, 2))\n    b = next(g)\n    c = list(chain(few(2), [7], few(1)))\n"
        "    d = [x + y for x, y in zip(few(3), [4, 5, 6, 7])]\n    e = [i * x for i, x in enumerate(few(3), 1)]\n"
        "    return a, b, c, d, e, dict(zip('ab', few(2)))",
        "4",
    ),
    "partial with keywords": (
        "from functools import partial\ndef power(base, exponent=2):\n    return base ** exponent\ndef f(n):\n"
        "    cube = partial(power, exponent=3)\n    binary = partial(int, base=2)\n"
        "    return cube(n), cube(n, exponent=1), binary('101')",
        "3",
    ),
    "sorts by getters": (
        "from operator import attrgetter, itemgetter\nimport operator\nclass P:\n    def __init__(self, a, b):\n"
        "        self.a = a\n        self.b = b\ndef f(rows):\n    x = sorted(rows, key=itemgetter('n'), reverse=True)\n"
        "    y = sorted(rows, key=operator.itemgetter('k', 'n'))\n    z = [P(r['n'], r['k']) for r in rows]\n"
        "    z.sort(key=attrgetter('b', 'a'))\n    best = max(enumerate([3, 5, 5]), key=itemgetter(1))\n"
        "    last = min([(1, 2), (2, 1)], key=itemgetter(-1))\n    return x, y, [(p.a, p.b) for p in z], best, last",
        "[{'n': 2, 'k': 1}, {'n': 1, 'k': 1}, {'n': 2, 'k': 0}]",
    ),
    "accumulate taken at once": (
        "from itertools import accumulate\ndef f(xs):\n    t = []\n    for y in accumulate(xs):\n        t.append(y)\n"
        "    return list(accumulate(xs)), max(accumulate(xs, min)), t, [y for y in accumulate(xs, initial=5)]",
        "[3, -1, 4]",
    ),
    "operators mapped and folded": (
        "import operator\nfrom functools import reduce\nfrom operator import concat, mul\ndef f(xs, ys):\n"
        "    dot = sum(map(mul, xs, ys))\n    less = list(map(operator.lt, xs, ys))\n"
        "    return dot, less, reduce(concat, [[1], [2, 3]]), reduce(max, xs), sum(map(operator.sub, xs, ys), 10)",
        "[1, 7, 3], [4, 5, 6]",
    ),
    "islice of an own generator, by bounds": (
        "from itertools import islice\ndef some():\n    for x in range(9):\n        yield x\ndef f(n):\n"
        "    return list(islice(some(), n)), list(islice(some(), 1, None, 3)), list(islice(some(), None, 2)), list(islice(some(), 2, n))",
        "4",
    ),
    "list of an own iterable": (
        "class Span:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        for i in range(self.n):\n"
        "            yield i * i\ndef f(n):\n    s = Span(n)\n    return list(s), list('ab'), list(Span(2))",
        "3",
    ),
    "maps kept for later": (
        "def double(x):\n    return x + x\ndef f(xs):\n    k = 3\n    m = map(double, xs)\n    a = next(m)\n"
        "    n = filter(lambda x: x < k, xs)\n    t = 0\n    for y in n:\n        t += y\n    return a, list(m), t",
        "[1, 2, 5]",
    ),
    "functions that a caller gives": (
        "def by(xs, key=None):\n    return sorted(xs, key=key), max(xs, key=key)\ndef each(g, xs):\n"
        "    return list(map(g, xs)), sum(map(g, xs))\ndef f(xs):\n"
        "    return by(xs), by(xs, lambda x: -x), by(xs, abs), each(lambda x: x + 1, xs), each(abs, xs)",
        "[1, -2, 3]",
    ),
    "functions moved about": (
        "def adder(k):\n    def add(x):\n        return x + k\n    return add\ndef f(n):\n"
        "    made = [adder(i) for i in range(2)]\n    kept = tuple(made)\n    a, b = kept[0], kept[1]\n"
        "    return len(kept), a(n), b(n), [g(n) for g in reversed(made)], a is None",
        "3",
    ),
    "extended by generators": (
        "def few(n):\n    for i in range(n):\n        yield i\nclass T:\n    def __init__(self, xs):\n        self.xs = xs\n"
        "    def walk(self):\n        for x in self.xs:\n            yield x\ndef f(n):\n    out = [9]\n    out.extend(few(n))\n"
        "    out.extend(T('ab').walk())\n    return out, dict(enumerate(T([5]).walk()))",
        "3",
    ),
    "a manager that takes what it is given": (
        "class M:\n    def __init__(self, log):\n        self.log = log\n    def __enter__(self):\n        self.log.append('in')\n"
        "        return self\n    def __exit__(self, *rest):\n        self.log.append('out')\n        return True\n"
        "def f(n):\n    log = []\n    with M(log) as m:\n        log.append(m.log is log)\n        1 // n\n    return log",
        "0",
    ),
}

UNSEEN = frozenset({"defaultdict of a function", "nested defaultdict"})
"""Programs with lines that the local view cannot show; the exact oracle answers them."""

"""Programs that read random numbers, input, clocks and files; each with the world it runs in."""

from tasks.scripted_world import ScriptedWorld as World

TEXT = "3 apples\n5 pears\n\n7 plums"
LINES = World(inputs=("Ada", "3 4", "stop"))
FILES = World(files=(("a.txt", TEXT), ("b.txt", "")))

SOURCES: dict[str, tuple[str, str, World]] = {
    "two dice": (
        "import random\ndef f(n):\n    return [random.randint(1, 6) + random.randint(1, 6) for _ in range(n)]",
        "4",
        World(seed=5),
    ),
    "names of their own": (
        "from random import randint as draw, random\nimport random as rnd\n"
        "def f(n):\n    g = rnd.uniform\n    h = draw\n    return draw(1, n), random() < 0.5, g(0, 1), h(0, 9)",
        "9",
        World(),
    ),
    "every draw": (
        "import random\ndef f(xs):\n    a = random.choice(xs)\n    b = random.sample(xs, 2)\n    random.shuffle(xs)\n"
        "    c = random.choices(xs, weights=[1, 2, 3, 4], k=3)\n    d = random.gauss(0, 1)\n    e = random.gauss(0, 1)\n"
        "    g = random.randrange(0, 100, 7)\n    h = random.getrandbits(40)\n    i = random.expovariate(2)\n"
        "    j = random.triangular(1, 2)\n    k = random.choice('abc')\n    m = random.choice(range(5))\n"
        "    return a, b, xs, c, d, e, g, h, i, j, k, m, random.sample(range(1000), 3), random.choice((1, 'x'))",
        "[1, [2], 'x', (3, 4)]",
        World(seed="text"),
    ),
    "seeded by the program": (
        "import random\ndef f(n):\n    random.seed(n)\n    a = random.random()\n    random.seed(n)\n    return a == random.random()",
        "7",
        World(),
    ),
    "generators of its own": (
        "import random\nclass Die:\n    def __init__(self, seed):\n        self.rng = random.Random(seed)\n"
        "    def roll(self):\n        return self.rng.randint(1, 6)\n"
        "def f(n):\n    d, e = Die(n), random.Random()\n    return d.roll(), d.roll(), e.gauss(0, 1), e.random()",
        "3",
        World(seed=2),
    ),
    "draws that fail": (
        "import random\ndef f(xs):\n    try:\n        return random.choice(xs)\n    except IndexError as error:\n"
        "        try:\n            return random.randint(5, 1)\n        except ValueError as other:\n            return str(error)",
        "[]",
        World(),
    ),
    "a draw that decides": (
        "import random\ndef f(n):\n    at = steps = 0\n    while abs(at) < n and steps < 20:\n"
        "        at += 1 if random.random() < 0.5 else -1\n        steps += 1\n    return at, steps",
        "3",
        World(seed=11),
    ),
    "a draw inside a callee and a key": (
        "import random\ndef roll():\n    return random.randint(1, 6)\n"
        "def f(n):\n    xs = [roll() for _ in range(n)]\n    return sorted(xs, key=lambda x: random.random())",
        "4",
        World(),
    ),
    "the oracle is asked for a beta variate": (
        "import random\ndef f(n):\n    a = random.betavariate(2, n)\n    b = random.random()\n    return a < b",
        "3",
        World(seed=4),
    ),
    "input": (
        "def f():\n    name = input('who? ').strip()\n    a, b = map(int, input().split())\n    while True:\n"
        "        line = input()\n        if line == 'stop':\n            break\n    return name, a + b",
        "",
        LINES,
    ),
    "input that ends": (
        "def f():\n    out = []\n    try:\n        while True:\n            out.append(input())\n    except EOFError:\n        return out",
        "",
        LINES,
    ),
    "clocks": (
        "import time, datetime as dt\nfrom datetime import datetime, date\ndef f(n):\n    start = time.time()\n    time.sleep(n)\n"
        "    spent = time.monotonic() - start\n    now = datetime.now()\n    other = dt.datetime.now()\n"
        "    day = date.today()\n    return spent, now, (other - now).seconds, day.year, time.perf_counter_ns(), "
        "isinstance(now, datetime)",
        "2.5",
        World(clock=86_399.5, tick=0.25),
    ),
    "reading a file": (
        "def f(name):\n    total = 0\n    with open(name) as file:\n        for line in file:\n            if line.strip():\n"
        "                total += int(line.split()[0])\n    return total, file.closed",
        "'a.txt'",
        FILES,
    ),
    "every reading": (
        "def f(name):\n    a = open(name, encoding='utf-8')\n    b = a.readline()\n    c = a.read(3)\n    d = a.tell()\n"
        "    e = a.readlines()\n    a.seek(0)\n    g = a.read()\n    a.close()\n"
        "    with open('b.txt') as empty:\n        return b, c, d, e, g, empty.read(), a.name, a.mode",
        "'a.txt'",
        FILES,
    ),
    "writing files": (
        "def f(name):\n    with open(name) as old, open('new.txt', 'w') as new:\n        for line in old:\n"
        "            n = new.write(line.upper())\n        new.writelines(['x', 'y'])\n"
        "    with open('new.txt', 'a') as more:\n        more.write('z')\n    return open('new.txt').read()",
        "'a.txt'",
        FILES,
    ),
    "a file that is not there": (
        "def f(name):\n    try:\n        with open(name) as file:\n            return file.read()\n"
        "    except FileNotFoundError as error:\n        return str(error)",
        "'missing.txt'",
        FILES,
    ),
    "a block that is left by return": (
        "def f(names):\n    for name in names:\n        with open(name) as file:\n            text = file.read()\n"
        "            if text:\n                return text, len(names)\n    return None",
        "['b.txt', 'a.txt']",
        FILES,
    ),
    "errors of files": (
        "def f(name):\n    file = open(name)\n    out = []\n    try:\n        file.write('x')\n    except OSError as error:\n"
        "        out.append(str(error))\n    file.close()\n    try:\n        file.read()\n    except ValueError as error:\n"
        "        out.append(str(error))\n    return out",
        "'a.txt'",
        FILES,
    ),
}

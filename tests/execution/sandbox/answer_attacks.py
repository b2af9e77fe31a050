"""Attacks on limits, on the worker's own code and on the judge that reads answers."""

from attack_case import Attack, attacks
from kernel_attacks import called

BOMBS = attacks(
    "resource bombs",
    "limit",
    {
        "descriptors": "import os\nheld = []\nwhile True: held.append(os.pipe())",
        "descriptors-by-copy": "import os\nwhile True: os.dup(0)",
        "event-counters": "import os\nheld = []\nwhile True: held.append(os.eventfd(0))",
        "polls": "import select\nheld = []\nwhile True: held.append(select.epoll())",
        "maps": "import mmap\nheld = []\nwhile True: held.append(mmap.mmap(-1, 1 << 24))",
        "packed-zeros": "import zlib\nreturn len(zlib.decompress(zlib.compress(bytes(1 << 26)))) and len(bytes(1 << 28))",
        "long-text": "text = 'x'\nwhile True: text += text",
        "wide-list": "return list(range(10 ** 10))",
        "deep-expression": "return eval('(' * 10 ** 5 + ')' * 10 ** 5)",
        "long-expression": "return eval('-' * 10 ** 6 + '1')",
        "colliding-keys": (
            "class K:\n    def __hash__(self): return 1\n    def __eq__(self, other): return self is other\n"
            "return len({K(): n for n in range(10 ** 5)})"
        ),
        "endless-iterator": "import itertools\nreturn sum(itertools.count())",
        "endless-sort": "class K:\n    def __lt__(self, other):\n        while True: pass\nreturn sorted([K(), K()])",
        "endless-search": "return 'a' * 10 ** 8 in ('a' * (10 ** 8 - 1) + 'b') * 2",
        "endless-pattern": "import re\nreturn bool(re.fullmatch('(x+x+)+y', 'x' * 40))",
        "long-division": "return (7 ** (1 << 20)) % (3 ** (1 << 19)) // (5 ** (1 << 18)) + len(str(3 ** (1 << 18)))",
        "endless-complaints": "import sys\nwhile True: sys.stderr.write('x' * 1000)",
        "endless-warnings": "import warnings\nwarnings.simplefilter('always')\nwhile True: warnings.warn('x' * 1000)",
        "full-pipe": "import os\nend = os.pipe()[1]\nwhile True: os.write(end, bytes(1 << 16))",
        "wait-for-nobody": "import os\nos.read(os.pipe()[0], 1)",
        "wait-for-lock": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    },
) + called("resource bombs", ("mlockall", "3"))

HOOKS = attacks(
    "hooks and finalisers",
    "judge",
    {
        "exception-hook": "import sys\nsys.excepthook = lambda *a: print('{\"returned\": 41}')\nraise ValueError",
        "unraisable-hook": (
            "import sys\nsys.unraisablehook = lambda *a: None\n"
            "class A:\n    def __del__(self): raise ValueError\nA()\nreturn 41"
        ),
        "finaliser-writes": (
            "import os\nclass A:\n    def __del__(self): os.write(3, b'd{\"returned\": 41}\\n')\n"
            "f.kept = A()\nf.__defaults__ = None\nreturn 40"
        ),
        "weak-finaliser": "import os, weakref\nclass A: pass\nweakref.finalize(A(), os.write, 3, b'd{\"returned\": 41}\\n')\nreturn 40",
        "collector-callback": (
            "import gc, os\ngc.callbacks.append(lambda *a: os.write(3, b'd{\"returned\": 41}\\n'))\ngc.collect()\nreturn 40"
        ),
        "import-hook": "import sys\nsys.meta_path[:] = []\nsys.path_hooks[:] = []\nsys.modules.clear()\nreturn 41",
        "audit-hook": "import sys\ndef hook(*a): raise RuntimeError\nsys.addaudithook(hook)\nreturn 41",
        "switch-interval": "import sys\nsys.setswitchinterval(1e9)\nsys.setrecursionlimit(100)\nreturn 41",
        "display-hook": "import sys\nsys.displayhook = sys.breakpointhook = lambda *a: 41\nreturn 40",
        "no-stdout": "import sys\nsys.stdout = sys.stderr = sys.stdin = None\nreturn 41",
        "closed-stdout": "import sys\nsys.stdout.close()\nreturn 41",
        "codec": "import codecs\ncodecs.register(lambda name: 1 / 0)\ncodecs.register_error('strict', lambda e: ('41', e.end))\nreturn '\\ud800'",
        "timer-in-the-writer": (
            "import os, signal\nsignal.signal(signal.SIGALRM, lambda *a: os.write(3, b'd{\"returned\": 41}\\n'))\n"
            "signal.setitimer(signal.ITIMER_REAL, 1e-5, 1e-5)\nreturn list(range(1000))"
        ),
        "exit-in-finaliser": "class A:\n    def __del__(self): raise SystemExit(0)\na = A()\nreturn 41",
        "exception-without-text": "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
        "exception-with-endless-text": "class E(Exception):\n    def __str__(self): return 'x' * 10 ** 7\nraise E",
        "exception-that-lies": "class M(type):\n    __name__ = property(lambda s: 1 / 0)\nclass E(Exception, metaclass=M): pass\nraise E",
        "exception-in-group": "raise BaseExceptionGroup('x', [KeyboardInterrupt(), SystemExit(0)])",
    },
)

FORGERIES = attacks(
    "forged results",
    "judge",
    {
        "line-before-the-line": "import os\nos.write(3, b'd{\"returned\": 41}\\n')\nreturn 40",
        "lines-for-later-tests": "import os\nos.write(3, b'd{\"returned\": 41}\\n' * 50)\nreturn 40",
        "not-a-number": "import os\nos.write(3, b'd{\"returned\": NaN}\\n')\nos._exit(0)",
        "not-utf-8": "import os\nos.write(3, b'd\"\\xff\\xfe\"\\n')\nos._exit(0)",
        "repeated-keys": 'import os\nos.write(3, b\'d{"returned": 40, "returned": 41}\\n\')\nos._exit(0)',
        "number-of-5000-digits": "import os\nos.write(3, b'd{\"returned\": ' + b'9' * 5000 + b'}\\n')\nos._exit(0)",
        "unknown-head": 'import os\nos.write(3, b\'d{"returned": ["x", 1]}\\n\')\nos._exit(0)',
        "text-as-hexadecimal": 'import os\nos.write(3, b\'d{"returned": ["i", "0x\\\\u0663"]}\\n\')\nos._exit(0)',
        "half-a-dict": 'import os\nos.write(3, b\'d{"returned": ["d", 1]}\\n\')\nos._exit(0)',
        "exception-as-list": 'import os\nos.write(3, b\'d{"raised": [1], "message": {}}\\n\')\nos._exit(0)',
        "time-as-text": 'import os\nos.write(3, b\'d{"returned": 41, "cpu_s": "1e400"}\\n\')\nos._exit(0)',
        "time-before-the-start": 'import os\nos.write(3, b\'d{"returned": 41, "cpu_s": -1e9}\\n\')\nos._exit(0)',
        "control-characters": 'import os\nos.write(3, b\'d{"raised": "\\\\u001b[2J", "message": "\\\\u0007"}\\n\')\nos._exit(0)',
        "failure-of-ours": "import os\nos.write(3, b'e\"AssertionError\"\\n')\nos._exit(0)",
        "empty-lines": "import os\nos.write(3, b'\\n' * 1000)\nos._exit(0)",
        "channel-elsewhere": "import os\nos.dup2(1, 3)\nprint('d{\"returned\": 41}')\nreturn 41",
        "channel-closed": "import os\nos.close(3)\nreturn 41",
        "answer-of-another": "import os\nos.write(1, b'd{\"returned\": 41}\\n')\nos.write(2, b'd{\"returned\": 41}\\n')\nreturn 40",
    },
)

_COSTLY = attacks(
    "results that cost more than they weigh",
    "judge",
    {
        "sets-in-sets": "x = frozenset()\nfor _ in range(40): x = frozenset([x])\nreturn x",
        "tuples-in-sets": "x = ()\nfor _ in range(50): x = frozenset([(x, 1)])\nreturn x",
        "shared-lists": "x = [0]\nfor _ in range(16): x = [x, x]\nreturn x",
        "shared-dicts": "x = {}\nfor _ in range(14): x = {1: x, 2: x}\nreturn x",
        "long-integer": "return 1 << 900_000",
        "many-long-texts": "return ['x' * 1000] * 250",
        "colliding-integers": "import os\nn = (1 << 61) - 1\nbody = ','.join('[\"i\",\"%x\"]' % (k * n) for k in range(1, 4000))\nos.write(3, ('d{\"returned\":[\"s\",' + body + ']}\\n').encode())\nos._exit(0)",
        "endless-dict": "class D(dict):\n    def items(self):\n        while True: yield 1, 1\nreturn D({1: 1})",
        "deep-line": "import os\nos.write(3, b'd{\"returned\": ' + b'[\"l\",' * 900 + b'1' + b']' * 900 + b'}\\n')\nos._exit(0)",
        "deep-sets-line": "import os\nos.write(3, b'd{\"returned\": ' + b'[\"z\",' * 400 + b'1' + b']' * 400 + b'}\\n')\nos._exit(0)",
        "long-exception": "raise ValueError('x' * 10 ** 7)",
        "long-class-name": "raise type('E' * 10 ** 6, (Exception,), {})('x')",
    },
)
COSTLY = [
    *_COSTLY,
    Attack("long-integer-compared-closely", "results that cost more than they weigh", "return 10 ** 5000", "judge", close=True),
    Attack("long-complex-compared-closely", "results that cost more than they weigh", "import os\nos.write(3, b'd{\"returned\": [\"c\", [\"i\", \"' + b'f' * 5000 + b'\"], 1]}\\n')\nos._exit(0)", "judge", close=True),
    Attack("sets-compared-closely", "results that cost more than they weigh", "x = frozenset()\nfor _ in range(40): x = frozenset([x])\nreturn x", "judge", close=True),
    Attack("infinity-compared-closely", "results that cost more than they weigh", "return float('inf')", "judge", close=True),
]  # fmt: skip

"""Random programs with all constructs that decompose rewrites, and with side effects in the operands.

`program(seed)` is a source whose function `f(a, b, xs, d, s)` prints as it goes; `arguments(seed)` calls it. The same
seed always gives the same program. This module runs nothing: `benchmarks.decompose` and the tests run the programs.
"""

import warnings
from collections.abc import Callable
from random import Random

from benchmarks.random_programs.callback_calls import looping, sorting
from benchmarks.random_programs.effectful_expressions import INTEGERS, LISTS, MAPPINGS, EffectfulExpressions
from benchmarks.random_programs.marked_functions import PIECES, TRUTH

_PATTERNS = [
    "0 | 1",
    "[a, *ys]",
    "int(c) if c > 2",
    "{1: b}",
    "str()",
    "None | True",
    "-1 | 2 as c",
    "[_, (0 | 1) as b, *_]",
    "[*ys, a] if xs.append(a) or ys",
    "(a, b) | [a, _, b]",
    "{1: 0 | 1 as a, **ys}",
    "{0: [a, *_], 2: _}",
    "[] | {}",
    "list([a]) | tuple((_, a))",
    "Box(v=a)",
    "Box(v=int(c) | [c]) if c",
]


def program(seed: int) -> str:
    """The source of one program; its entry is `f`."""
    for attempt in range(100):
        source = _attempt(Random(f"{seed} {attempt}"))
        if _compiles(source):
            return source
    raise RuntimeError(f"No valid program for seed {seed} in 100 attempts. Take another seed.")


def _compiles(source: str) -> bool:
    """False for a walrus where Python forbids it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # random programs compare oddly on purpose
        try:
            compile(source, "<generated>", "exec")
        except SyntaxError:
            return False
    return True


def _attempt(rng: Random) -> str:
    body = _Writer(rng).function()
    truth = TRUTH if rng.random() < 0.2 else ""
    pieces = [text + (truth if name == "Box" else "") for name, text in PIECES.items() if name in body]
    return "N = 3\nSHARED = []\n" + "".join(pieces) + "\n" + body


def arguments(seed: int) -> list[str]:
    """Argument lists to call the program's entry with, as source."""
    rng = Random(f"arguments {seed}")
    calls = []
    for _ in range(2):
        xs = [rng.randint(-1, 5) for _ in range(rng.randint(0, 4))]
        d = {rng.randint(0, 4): rng.randint(0, 4) for _ in range(3)}
        calls.append(f"{rng.randint(-1, 4)}, {rng.randint(0, 4)}, {xs}, {d}, {rng.choice(['', 'ab', 'banana'])!r}")
    return calls


class _Writer:
    """Writes statements; keeps the context that decides which statements are allowed."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.say = EffectfulExpressions(rng)
        self.lines: list[str] = []
        self.depth = 0
        self.loops = 0
        self.handling = False
        self.count = 0
        self.nested = False

    def function(self) -> str:
        """The whole entry function."""
        self.line("def f(a, b, xs, d, s):")
        self.depth += 1
        if self.chance(0.3):
            self.line("global N")
        for text in ("c = n = 2", "ys, *zs = [1], 2, a", "t = s + 'x'", "e = {a: b}", "w2 = 4"):
            self.line(text)
        start = len(self.lines)
        self._inner()
        for _ in range(self.rng.randint(1, 3)):
            self._top_statement()
        self.line(f"return {self.value()}, a, b, c, n, xs, ys, zs, d, e, s, t")
        if any("box" in line for line in self.lines):
            self.lines.insert(start, "    box = Box(a)")
            self.lines[-1] += ", box"
        return "\n".join(self.lines) + "\n"

    def _top_statement(self) -> None:
        """A statement, mostly inside `try`, so that one exception does not end the whole program."""
        protected = self.chance(0.7)
        if protected:
            self.line("try:")
            self.depth += 1
        self.statement(2)
        if protected:
            self.depth -= 1
            self.line("except Exception as error:")
            self.line("    print(type(error).__name__)")

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def value(self, depth: int = 3) -> str:
        makers = [
            self.say.integer,
            self.say.integer,
            self.say.sequence,
            self.say.text,
            self.say.mapping,
            self.say.truth,
        ]
        return self.rng.choice(makers)(self.rng.randint(0, depth))

    def integer(self) -> str:
        return self.say.integer(self.rng.randint(0, 3))

    def truth(self) -> str:
        return self.say.truth(self.rng.randint(0, 3))

    def sequence(self) -> str:
        return self.say.sequence(self.rng.randint(0, 3))

    def block(self, size: int) -> None:
        self.depth += 1
        start = len(self.lines)
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            self.statement(size - 1)
        if len(self.lines) == start:
            self.line("pass")
        self.depth -= 1

    def statement(self, size: int) -> None:
        simple: list[Callable[[], None]] = [
            self.assign,
            self.assign,
            self.unpack,
            self.augment,
            self.store,
            self.expression,
            self.delete,
        ]
        simple += [self.expression, self.rare]
        compound = [
            self.choice,
            self.choice,
            self.for_loop,
            self.for_loop,
            self.while_loop,
            self.attempt,
            self.manage,
            self.match,
        ]
        if self.loops and self.chance(0.15):
            self.line(f"if {self.truth()}:")
            self.line(f"    {self.rng.choice(['break', 'continue'])}")
        elif size > 0 and self.chance(0.5):
            self.rng.choice(compound)(size)
        else:
            self.rng.choice(simple)()

    # simple statements

    def assign(self) -> None:
        form = self.rng.randint(0, 5)
        if form == 0:
            self.line(f"{self.rng.choice(LISTS)} = {self.sequence()}")
        elif form == 1:
            self.line(f"{self.rng.choice(MAPPINGS)} = {self.say.mapping(2)}")
        elif form == 2:
            self.line(f"{self.rng.choice(['s', 't'])} = {self.say.text(2)}")
        elif form == 3:
            self.line(f"a = {self.rng.choice(LISTS)}[{self.integer()}] = c = {self.integer()}")
        else:
            self.line(f"{self.rng.choice(['a', 'b', 'c', 'n', 'u'])} = {self.integer()}")

    def unpack(self) -> None:
        forms = [
            "a, b = b, a",
            f"a, b = {self.integer()}, {self.integer()}",
            f"xs[{self.integer()}], xs[{self.integer()}] = {self.integer()}, {self.integer()}",
            f"a, *ys = {self.sequence()}",
            f"(a, (b, box.v)), c = ({self.integer()}, ({self.integer()}, {self.integer()})), {self.integer()}",
            f"a, xs[a], b = {self.sequence()}",
            f"n, d[n] = {self.integer()}, n",
            f"[*zs, c] = {self.sequence()}",
            f"ys[{self.integer()}:{self.integer()}] = {self.sequence()}",
        ]
        self.line(self.rng.choice(forms))

    def augment(self) -> None:
        sign = self.rng.choice(["+", "-", "*", "//", "%", "|"])
        places = [
            *INTEGERS[:4],
            f"xs[{self.integer()}]",
            f"d[{self.integer()}]",
            "box.v",
            f"box[{self.integer()}]",
            "u",
        ]
        if self.chance(0.2):
            self.line(f"{self.rng.choice([*LISTS, 'box.items[1]', 'ys[:1]'])} += {self.sequence()}")
        else:
            self.line(f"{self.rng.choice(places)} {sign}= {self.integer()}")

    def store(self) -> None:
        places = [f"xs[{self.integer()}]", f"d[{self.integer()}]", "box.v", f"box[{self.integer()}]", "Box(a).v"]
        self.line(f"{self.rng.choice(places)} = {self.integer()}")

    def expression(self) -> None:
        forms = [
            f"xs.append({self.integer()})",
            f"ys.extend({self.sequence()})",
            f"print({self.value()}, {self.value()}, sep={self.say.text(1)})",
            f"[tick({self.integer()}, x) for x in {self.sequence()}]",
            self.integer(),
            f"d.update({self.say.mapping(2)})",
            f"zs.insert({self.integer()}, {self.integer()})",
            sorting(self.say, 2),
        ]
        self.line(self.rng.choice(forms))

    def delete(self) -> None:
        self.line(
            self.rng.choice(
                [f"del xs[{self.integer()}]", f"del d[{self.integer()}], ys[:{self.integer()}]", "del u", "pass"]
            )
        )

    def rare(self) -> None:
        forms = [
            f"assert {self.truth()}, {self.value()}",
            f"assert {self.truth()}",
            f"raise {self.rng.choice(['ValueError', 'KeyError'])}({self.value()})",
            f"raise IndexError from ValueError({self.integer()})",
            f"if {self.truth()}: return {self.value()}",
            "import math, string as words",
            f"g = lambda q=xs, *r: {self.value()}",
            f"count: int = {self.integer()}",
            f"ys = [q for q in ({self.integer()} for x in {self.sequence()})]",
        ]
        if self.handling:
            forms += ["raise", "raise"]
        self.line(self.rng.choice(forms))

    # compound statements

    def _inner(self) -> None:
        """A function inside, which may rebind what the expressions around its calls read."""
        self.line(f"def inner(q, r={self.integer()}, *rest):")
        self.depth += 1
        if self.chance(0.5):
            self.line("nonlocal n")
            self.line(f"n = n + {self.rng.randint(1, 3)} if n < 40 else 0")
        elif self.chance(0.5):
            self.line(f"if q > 0 and q < 9: return inner(q - 1) + {self.rng.choice(['q', 'r', 'n', 'u'])}")
        self.line("print('inner', q)")
        self.line(f"return {self.rng.choice(['q + r', 'q', 'q * n', 'n + tick(0, q)', 'late + q'])}")
        self.depth -= 1
        if self.chance(0.7):
            self.line("late = 1")

    def choice(self, size: int) -> None:
        self.line(f"if {self.truth()}:")
        self.block(size)
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            self.line(f"elif {self.truth()}:")
            self.block(size)
        if self.chance(0.5):
            self.line("else:")
            self.block(size)

    def _looped(self, size: int) -> None:
        self.loops += 1
        self.block(size)
        self.loops -= 1
        if self.chance(0.3):
            self.line("else:")
            self.block(size)

    def for_loop(self, size: int) -> None:
        forms = [
            f"for c in {self.sequence()}:",
            f"for a, n in enumerate({self.sequence()}):",
            f"for i in range({self.integer()}):",
            "for a, b in list(d.items()):",
            f"for c, (a, xs[0]) in zip({self.sequence()}, [(1, 2), (3, 4)]):",
            f"for s in {self.say.text(2)}:",
            f"for d[{self.integer()}] in {self.sequence()}:",
            looping(self.say, 2),
        ]
        self.line(self.rng.choice(forms))
        self._looped(size)

    def while_loop(self, size: int) -> None:
        self.count += 1
        turn = f"turn{self.count}"
        self.line(f"{turn} = 0")
        form = self.rng.choice(["and", "true", "walrus", "name"])
        if form == "and":
            self.line(f"while {turn} < 3 and {self.truth()}:")
        elif form == "walrus":
            self.line(f"while ({turn} := {turn} + 1) < 4:")
        elif form == "name":
            self.line(f"{turn} = 3")
            self.line(f"while {turn}:")
        else:
            self.line("while True:")
        if form != "walrus":
            self.line(f"    {turn} {'-' if form == 'name' else '+'}= 1")
        if form == "true":
            self.line(f"    if {turn} > 3: break")
        self._looped(size)

    def attempt(self, size: int) -> None:
        self.line("try:")
        self.block(size)
        handlers = self.rng.choice([0, 1, 1, 2])
        kinds = [
            "except ValueError:",
            "except (IndexError, KeyError) as error:",
            "except ZeroDivisionError as a:",
            "except Exception as error:",
        ]
        chosen = self.rng.sample(kinds, handlers)
        if handlers and self.chance(0.2):
            chosen.append("except:")
        for kind in chosen:
            self.line(kind)
            before, self.handling = self.handling, True
            if "error" in kind and self.chance(0.5):
                self.line("    print(type(error).__name__)")
            self.block(size)
            self.handling = before
        if handlers and self.chance(0.3):
            self.line("else:")
            self.block(size)
        if not handlers or self.chance(0.3):
            self.line("finally:")
            self.block(size)

    def manage(self, size: int) -> None:
        forms = [
            f"with Guard({self.truth()}):",
            f"with Guard({self.truth()}) as (a, b):",
            f"with Guard({self.truth()}) as c, Guard(c) as (n, d[0]):",
        ]
        self.line(self.rng.choice(forms))
        self.block(size)

    def match(self, size: int) -> None:
        self.line(f"match {self.value(2)}:")
        for pattern in self.rng.sample(_PATTERNS, self.rng.choice([2, 2, 3])):
            self.line(f"    case {pattern}:")
            self.depth += 1
            self.block(size)
            self.depth -= 1
        if self.chance(0.5):
            self.line("    case _:")
            self.depth += 1
            self.block(size)
            self.depth -= 1

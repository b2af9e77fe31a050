"""Random expressions whose operands have side effects, so that the order of evaluation is visible.

Text only: builds source by kind of value and never runs it. Used by `benchmarks.random_programs.program_generator`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from benchmarks.random_programs.callback_calls import counted, listed

INTEGERS = ("a", "b", "c", "n", "N")
LISTS = ("xs", "ys", "zs")
TEXTS = ("s", "t")
MAPPINGS = ("d", "e")
VARIABLES = ("x", "y", "z", "a")
"""Variables of comprehensions; `a` is a parameter too, to test that nothing leaks."""


@dataclass(slots=True)
class EffectfulExpressions:
    """A source of random expressions; `scope` holds integers bound by comprehensions and lambdas around."""

    rng: Random
    scope: list[str] = field(default_factory=list)
    ticks: int = 0
    capturing: bool = True
    """Whether walrus targets may appear: not inside a comprehension's iterable."""

    def pick(self, choices: tuple[str, ...] | list[str]) -> str:
        """One of several words."""
        return self.rng.choice(choices)

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self.rng.random() < share

    def _any(self, makers: Sequence[Callable[[int], str]], depth: int) -> str:
        return self.rng.choice(makers)(depth - 1)

    # integers

    def integer(self, depth: int) -> str:
        """An expression that is mostly an int."""
        if depth <= 0 or self.chance(0.15):
            return self._small_integer()
        makers = [self._arithmetic, self._arithmetic, self._ticked, self._item, self._call, self._conditional]
        makers += [self._consumed, self._walrus, self._measured, self._or, self._attribute, self._lambda_call]
        return self._any(makers, depth)

    def _small_integer(self) -> str:
        names = [*INTEGERS, *self.scope, *self.scope]
        if self.chance(0.006):
            return "u"  # bound on some paths only
        return self.pick(names) if self.chance(0.6) else str(self.rng.randint(-2, 6))

    def _arithmetic(self, depth: int) -> str:
        sign = self.pick(("+", "-", "*", "+", "//", "%", "&", "|"))
        if self.chance(0.15):
            return f"{self.pick(('-', '~', '+'))}({self.integer(depth)})"
        return f"({self.integer(depth)} {sign} {self.integer(depth)})"

    def _ticked(self, depth: int) -> str:
        self.ticks += 1
        function = self.pick(("tick", "tick", "bump", "grow"))
        if function == "tick":
            return f"tick({self.ticks}, {self.integer(depth)})"
        return f"{function}({self.integer(depth)})"

    def _item(self, depth: int) -> str:
        if self.chance(0.3):
            return f"{self.mapping(depth)}[{self.integer(depth)}]"
        if self.chance(0.7):
            return f"({self.sequence(depth)} or [1, 2])[{self.pick(('0', '-1'))}]"
        return f"{self.sequence(depth)}[{self.integer(depth)}]"

    def _call(self, depth: int) -> str:
        forms = [
            f"spread({self.integer(depth)}, *{self.sequence(depth)}, {self.integer(depth)})",
            f"spread(*{self.sequence(depth)}, k={self.integer(depth)})",
            f"spread({self.integer(depth)}, k={self.integer(depth)}, **{{'m': {self.integer(depth)}}}, q=a)",
            f"{self.mapping(depth)}.get({self.integer(depth)}, {self.integer(depth)})",
            f"{self.pick(LISTS)}.pop({self.integer(depth)})",
            f"abs({self.integer(depth)})",
            f"max({self.integer(depth)}, {self.integer(depth)})",
            counted(self, depth),
            f"xs.missing({self.integer(depth)})"
            if self.chance(0.2)
            else f"{self.pick(LISTS)}.index({self.integer(depth)})",
            f"inner({self.integer(depth)})",
            f"box.add({self.integer(depth)}, {self.integer(depth)})",
            f"{self.text(depth)}.count({self.text(depth)})",
        ]
        return self.pick(forms)

    def _conditional(self, depth: int) -> str:
        return f"({self.integer(depth)} if {self.truth(depth)} else {self.integer(depth)})"

    def _or(self, depth: int) -> str:
        return f"({self.integer(depth)} {self.pick(('or', 'and'))} {self.integer(depth)})"

    def _walrus(self, depth: int) -> str:
        if not self.capturing:
            return self.integer(depth)
        return f"({self.pick(('b', 'c', 'n', 'w'))} := {self.integer(depth)})"

    def _attribute(self, depth: int) -> str:
        return self.pick(
            [
                "box.v",
                f"Box({self.integer(depth)}).v",
                f"box[{self.integer(depth)}]",
                f"(box + {self.integer(depth)}).v",
            ]
        )

    def _measured(self, depth: int) -> str:
        return f"len({self.pick([self.sequence(depth), self.mapping(depth), self.text(depth), self._set(depth)])})"

    def _lambda_call(self, depth: int) -> str:
        default = self.integer(depth)
        with_variable = self.with_scope(["p"], lambda: self.integer(depth))
        return f"(lambda p, q={default}: {with_variable})({self.integer(depth)})"

    def _consumed(self, depth: int) -> str:
        name = self.pick(("sum", "min", "max", "sum", "len"))
        element, generators = self._comprehension(depth, self.integer)
        if name == "len":
            return f"len(tuple({element} {generators}))"
        start = f", {self.integer(depth)}" if name == "sum" and self.chance(0.3) else ""
        body = f"({element} {generators})" if start else f"{element} {generators}"
        return f"{name}({body}{start})"

    # truth

    def truth(self, depth: int) -> str:
        """An expression used for its truth."""
        if depth <= 0:
            return self.pick(["True", "False", "a", "xs", "s", "not b"])
        makers = [
            self._compared,
            self._compared,
            self._chained,
            self._joined,
            self._not,
            self._found,
            self._member,
            self.integer,
        ]
        return self._any([*makers, self._same], depth)

    def _compared(self, depth: int) -> str:
        return f"{self.integer(depth)} {self.pick(('<', '<=', '==', '!=', '>', '>='))} {self.integer(depth)}"

    def _chained(self, depth: int) -> str:
        return f"{self.integer(depth)} < {self.integer(depth)} {self.pick(('<=', '!='))} {self.integer(depth)}"

    def _joined(self, depth: int) -> str:
        joint = self.pick((" and ", " or "))
        return f"({joint.join(self.truth(depth) for _ in range(self.rng.randint(2, 3)))})"

    def _not(self, depth: int) -> str:
        return f"(not {self.truth(depth)})"

    def _found(self, depth: int) -> str:
        element, generators = self._comprehension(depth, self.truth)
        return f"{self.pick(('any', 'all'))}({element} {generators})"

    def _member(self, depth: int) -> str:
        return f"{self.integer(depth)} {self.pick(('in', 'not in'))} {self.sequence(depth)}"

    def _same(self, depth: int) -> str:
        return self.pick(
            [
                f"box == {self.integer(depth)}",
                f"isinstance({self.integer(depth)}, int)",
                f"{self.pick(LISTS)} is {self.sequence(depth)}",
            ]
        )

    # text

    def text(self, depth: int) -> str:
        """An expression that is mostly a str."""
        if depth <= 0:
            return self.pick(["s", "t", "'ab'", "''", '"it\'s\\n"'])
        makers = [self._formatted, self._formatted, self._text_call, self._text_slice, self._concatenated]
        return self._any(makers, depth)

    def _formatted(self, depth: int) -> str:
        quote = "'''"
        parts = []
        for _ in range(self.rng.randint(1, 3)):
            inner = self._unquoted(depth)
            spec = self.pick(["", "", "!r", ":>4", "!s:<3", ":{a}", "!r:>{w2}"])
            parts.append(f"{{{inner}{spec}}}{self.pick(['', '-', ' {{}} '])}")
        return f"f{quote}{''.join(parts)}{quote}"

    def _unquoted(self, depth: int) -> str:
        for _ in range(8):
            inner = self.integer(depth)
            if not set("'\"\\:{}!=") & set(inner):
                return f"({inner})"
        return "a"

    def _text_call(self, depth: int) -> str:
        element, generators = self._comprehension(depth, lambda d: f"str({self.integer(d)})")
        plain = f"{self.text(depth)}.replace({self.text(depth)}, {self.text(depth)})"
        return self.pick(
            [
                plain,
                f"str({self.integer(depth)})",
                f"{self.text(depth)}.upper()",
                f"{self.text(depth)}.join({element} {generators})",
            ]
        )

    def _text_slice(self, depth: int) -> str:
        return f"{self.text(depth)}[{self.integer(depth)}:{self.pick(['', self.integer(depth)])}]"

    def _concatenated(self, depth: int) -> str:
        return f"({self.text(depth)} + {self.text(depth)})"

    # containers

    def sequence(self, depth: int) -> str:
        """An expression that is mostly a list of ints."""
        if depth <= 0:
            return self.pick([*LISTS, *LISTS, "[1, 2]", "[]", "(3, 1)"])
        makers = [self._display, self._display, self._listed, self._listed, self._sliced, self._made_list]
        return self._any(makers, depth)

    def _display(self, depth: int) -> str:
        parts = [
            f"*{self.sequence(depth)}" if self.chance(0.25) else self.integer(depth)
            for _ in range(self.rng.randint(0, 3))
        ]
        return f"[{', '.join(parts)}]"

    def _listed(self, depth: int) -> str:
        element, generators = self._comprehension(depth, self.integer)
        return f"[{element} {generators}]"

    def _sliced(self, depth: int) -> str:
        step = self.pick(["", "", ":-1", f":{self.integer(depth)}"])
        return f"{self.sequence(depth)}[{self.integer(depth)}:{self.pick(['', self.integer(depth)])}{step}]"

    def _made_list(self, depth: int) -> str:
        element, generators = self._comprehension(depth, self.integer)
        key = self.with_scope(["k"], lambda: self.integer(depth))
        forms = [
            f"list({element} {generators})",
            f"sorted(({element} {generators}), key=lambda k: {key}, reverse={self.truth(depth)})",
            f"sorted({self._set(depth)})",
            f"({self.sequence(depth)} + {self.sequence(depth)})",
            listed(self, depth),
            listed(self, depth),
            f"list(k for k in range({self.integer(depth)} % 4))",
            f"[k for k, _ in sorted({self.mapping(depth)}.items())]",
            f"list(dict(({element}, {self.integer(0)}) {generators}))",
            f"[f(1) for f in [(lambda q: q + x) {generators.replace('for y', 'for x').replace('for z', 'for x')}]]",
        ]
        return self.pick(forms)

    def _set(self, depth: int) -> str:
        element, generators = self._comprehension(depth, self.integer)
        star = f"*{self.sequence(depth)}, " if self.chance(0.3) else ""
        return self.pick(
            [
                f"{{{element} {generators}}}",
                f"{{{star}{self.integer(depth)}, {self.integer(depth)}}}",
                f"set({element} {generators})",
            ]
        )

    def mapping(self, depth: int) -> str:
        """An expression that is mostly a dict from int to int."""
        if depth <= 0:
            return self.pick([*MAPPINGS, "{1: 2}", "{}"])
        if self.chance(0.4):
            element, generators = self._comprehension(depth, lambda d: f"{self.integer(d)}: {self.integer(d)}")
            return f"{{{element} {generators}}}"
        parts = [
            f"**{self.mapping(depth - 1)}"
            if self.chance(0.25)
            else f"{self.integer(depth - 1)}: {self.integer(depth - 1)}"
            for _ in range(2)
        ]
        return f"{{{', '.join(parts)}}}"

    # scopes

    def with_scope(self, names: list[str], make: Callable[[], str]) -> str:
        """The result of `make` where these names are integers."""
        self.scope.extend(names)
        try:
            return make()
        finally:
            del self.scope[-len(names) :]

    def _comprehension(self, depth: int, make: Callable[[int], str]) -> tuple[str, str]:
        """An element and its `for` clauses; the element may use the variables, as Python's scoping has it."""
        before, capturing = list(self.scope), self.capturing
        self.capturing = False
        clauses = []
        for _ in range(1 if self.chance(0.75) else 2):
            source = self.sequence(depth - 1)
            variable = self.pick([v for v in VARIABLES if v not in self.scope] or ["v"])
            if self.chance(0.2):
                clauses.append(f"for {variable}, {variable}2 in zip({source}, {self.sequence(0)})")
                self.scope.append(f"{variable}2")
            else:
                clauses.append(f"for {variable} in {source}")
            self.scope.append(variable)
            if self.chance(0.3):
                clauses.append(f"if {self.truth(depth - 1)}")
        element = make(depth - 1)
        self.scope, self.capturing = before, capturing
        return element, " ".join(clauses)

"""Writes typed expressions over the variables in scope, by the forms of `grammar.py`; most run without error."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random

from cwm_agent.training.program_writer import inputs
from cwm_agent.training.program_writer.grammar import ALTERNATIVES, FORMS

_HOLE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_WITH_ITSELF = re.compile(r"(?:\w+\()?([\w.]+)(?: \S+|,) \1\)?$")
_RANGE = re.compile(r"(\d+)-(\d+)$")
_MADE_ANYWHERE = frozenset({"char", "bool"})
"""Types that need no variable: a literal or a comparison is always possible."""
_SUBTYPES = {
    "int": ("index", "count"),
    "str": ("char", "word", "built"),
    "word": ("str", "char"),
    "ints": ("collected",),
}


@dataclass(frozen=True, slots=True)
class _Form:
    text: str
    weight: int
    needs: frozenset[str]
    """Types of which a variable must be in scope."""


@lru_cache(maxsize=1)
def _forms() -> dict[str, tuple[_Form, ...]]:
    found: dict[str, tuple[_Form, ...]] = {}
    for kind, rows in FORMS.items():
        split = [row.partition(" ") for row in rows]
        found[kind] = tuple(_Form(text, int(weight), _needs(text)) for weight, _, text in split)
    return found


def _needs(text: str) -> frozenset[str]:
    holes = [match[1] for match in _HOLE.finditer(text) if match[1]]
    held = {"str" if hole == "charof" else hole for hole in holes}
    return frozenset(hole for hole in held if hole in FORMS and hole not in _MADE_ANYWHERE)


@lru_cache(maxsize=1)
def all_forms() -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Every form as (type, text, types that must be in scope)."""
    return tuple((kind, form.text, form.needs) for kind, forms in _forms().items() for form in forms)


@lru_cache(maxsize=4096)
def _possible(kind: str, present: frozenset[str], plain: bool) -> tuple[tuple[_Form, ...], tuple[int, ...]]:
    """The possible forms of a type, with cumulative weights; plain forms contain no further condition."""
    forms = tuple(form for form in _forms()[kind] if form.needs <= present and not (plain and "{bool}" in form.text))
    return forms, tuple(accumulate(form.weight for form in forms))


class ExpressionWriter:
    """Writes expressions over a scope, which may grow between calls."""

    def __init__(self, rng: Random, scope: dict[str, str]) -> None:
        """`scope` maps names to types; it is not copied."""
        self._rng = rng
        self.scope = scope

    def write(self, kind: str, depth: int = 2, *, made: bool = False) -> str:
        """An expression of that type; with depth 0 a variable or a literal, unless it must be `made` of others."""
        if (depth <= 0 and not made) or depth < -2 or kind not in FORMS:
            return self.atom(kind)
        forms, weights = _possible(kind, self.present(), depth < 2)
        if not forms:
            return self.atom(kind)
        form = self._rng.choices(forms, cum_weights=weights)[0]
        for _ in range(4):
            text = self.fill(form.text, depth)
            if not _WITH_ITSELF.match(text):
                break
        return text

    def fill(self, form: str, depth: int) -> str:
        """A form with its holes filled; `{{` stands for a brace."""
        return _HOLE.sub(lambda match: self._hole(match, depth), form)

    def variable(self, kind: str) -> str | None:
        """A variable of that type, if there is one."""
        wanted = (kind, *_SUBTYPES.get(kind, ()))
        names = [name for name, held in self.scope.items() if held in wanted]
        if not names:
            return None
        return names[-1] if self._rng.random() < 0.4 else self._rng.choice(names)  # prefer the variable assigned last

    def atom(self, kind: str) -> str:
        """A variable or a literal."""
        name = self.variable("str" if kind == "word" else kind)
        if name is not None and (kind not in ("int", "word") or self._rng.random() < 0.8):
            return name
        return self._literal(kind)

    def present(self) -> frozenset[str]:
        """The types that variables hold."""
        held = frozenset(self.scope.values())
        return held | {kind for kind, below in _SUBTYPES.items() if not held.isdisjoint(below)}

    def _hole(self, match: re.Match[str], depth: int) -> str:
        if match[1] is None:
            return match[0][0]
        hole, rng = match[1], self._rng
        if span := _RANGE.match(hole):
            return str(rng.randint(int(span[1]), int(span[2])))
        if hole in ALTERNATIVES:
            return rng.choice(ALTERNATIVES[hole])
        if hole.endswith("!"):
            return inputs.argument(rng, hole[:-1])
        if hole.endswith("0"):
            return self._name_only(hole[:-1])
        return self._nested(hole, depth)

    def _nested(self, kind: str, depth: int) -> str:
        rng = self._rng
        if kind == "index":
            return self.variable("index") or str(rng.randint(0, 2))
        if kind == "charof":
            return self.variable("char") or f"{self.variable('str')}[{rng.choice((0, 0, -1))}]"
        if kind in ("word", "digits"):
            return self.atom(kind)
        deeper = depth > 1 and rng.random() < 0.6
        missing = kind != "char" and self.variable(kind) is None and (kind == "bool" or rng.random() < 0.8)
        text = self.write(kind, depth - 1, made=missing) if deeper or missing else self.atom(kind)
        return text if text.isidentifier() or text.isdigit() else f"({text})"

    def _name_only(self, kind: str) -> str:
        """For f-strings, where quotes inside would clash: a variable or a number."""
        return self.variable(kind) or str(self._rng.randint(0, 99))

    def _literal(self, kind: str) -> str:
        rng = self._rng
        if kind in ("int", "index"):
            return str(rng.randint(0, 9)) if rng.random() < 0.8 else str(inputs.number(rng))
        return inputs.argument(rng, kind if kind in inputs.MAKERS else "word")

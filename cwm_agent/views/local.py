"""The local view: one line and the values it reads, names rewritten to v0, v1, ...; the answer is its effect.

    v0 = v1.pop()          the line
    v1=#1[4, 5]            what it reads; an object is written out behind its label where it first stands
    ->
    v0=5                   names bound
    #1=[4]                 objects changed
    !IndexError('...')     or what it raised; `del v0` for a name unbound

Blind to the program, so it generalises and can be remembered; two lines that do the same to the same values look the same.
"""

import ast
import re
from dataclasses import dataclass
from functools import lru_cache

from envs.execution.effects import Effect, Question
from envs.execution.pages import MalformedText, check_text
from envs.execution.values import Unsupported, is_supported, references, replace_references

_METHOD = re.compile(r"(.*)\.([^\W\d]\w*)$", re.DOTALL)
_ANSWER = re.compile(r"(?:v(?P<name>\d+)|\#(?P<label>\d+))=(?P<text>.+)$|!(?P<raised>.+)$|del v(?P<unbound>\d+)$", re.DOTALL)
_ANCHOR = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\#(\d+)(?=[\[{A-Za-z_])""", re.DOTALL)


class MalformedAnswer(ValueError):
    """An answer that says no effect; its text is the reason."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the model sees it, with what is needed to read the answer."""

    text: str
    names: tuple[str, ...]
    """Real names of v0, v1, ..."""
    labels: tuple[int, ...]
    """Real labels of #1, #2, ..."""


def ask(question: Question) -> Asked:
    """The question in the local view; Unsupported where the line depends on more than it reads."""
    if question.globals or any("@" in text for _, text in question.reads):
        raise Unsupported("a line that calls back into the program")
    methods = tuple((name, match[2]) for name, text in question.reads if (match := _bound_method(text)))
    line, names = _rewritten(question.statement, tuple(name for name, _ in question.reads), methods)
    given = dict(question.reads)
    writer = _Writer(dict(question.heap))
    rows = []
    for index, name in enumerate(names):
        if name in given:
            text = given[name] if name not in dict(methods) else _receiver(given[name])
            rows.append(f"v{index}={writer.anchored(text)}")
    text = "\n".join([line, *rows])
    if not is_supported(text):
        raise Unsupported("a value that cannot be written down")
    return Asked(text, names, tuple(writer.order))


def answer(asked: Asked, effect: Effect) -> str:
    """An effect as the model should say it."""
    known = {label: index for index, label in enumerate(asked.labels, start=1)}
    contents = dict(effect.contents)
    fresh = _Fresh({label: text for label, text in contents.items() if label not in known}, known, effect)
    index = {name: position for position, name in enumerate(asked.names)}
    rows = [f"v{index[name]}={fresh.text(text)}" for name, text in sorted(effect.bound, key=lambda row: index[row[0]])]
    rows += [f"#{known[label]}={fresh.text(contents[label])}" for label in asked.labels if label in contents]
    rows += [f"del v{index[name]}" for name in effect.unbound]
    rows += [f"!{fresh.text(effect.raised)}"] if effect.raised is not None else []
    return "\n".join(rows)


def effect(asked: Asked, said: str) -> Effect:
    """The effect an answer says; MalformedAnswer with the reason where it says none."""
    reader = _AnswerReader(asked)
    for row in said.split("\n") if said else []:
        reader.row(row)
    return reader.effect()


class _AnswerReader:
    """Collects the rows of one answer."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._bound: dict[str, str] = {}
        self._contents: dict[int, str] = {}
        self._unbound: list[str] = []
        self._raised: str | None = None
        self._floor = max(asked.labels, default=0) + 1_000_000  # provisional labels, far from the frame's own

    def row(self, row: str) -> None:
        match = _ANSWER.match(row)
        if match is None:
            raise MalformedAnswer(f"a row that says nothing: {row[:80]!r}")
        if match["raised"]:
            self._raised = self._text(match["raised"])
        elif match["unbound"]:
            self._unbound.append(self._name(match["unbound"]))
        elif match["name"]:
            self._bound[self._name(match["name"])] = self._text(match["text"])
        else:
            self._contents[self._label(int(match["label"]))] = self._text(match["text"])

    def effect(self) -> Effect:
        contents = tuple(sorted(self._contents.items()))
        return Effect(tuple(self._bound.items()), tuple(self._unbound), contents, self._raised)

    def _name(self, index: str) -> str:
        if int(index) >= len(self._asked.names):
            raise MalformedAnswer(f"a name v{index} that the line does not hold")
        return self._asked.names[int(index)]

    def _label(self, index: int) -> int:
        if index > len(self._asked.labels):
            return self._floor + index
        if index < 1:
            raise MalformedAnswer(f"a label #{index} that the question does not hold")
        return self._asked.labels[index - 1]

    def _text(self, text: str) -> str:
        """The text with the frame's labels; objects anchored in it get contents of their own."""
        try:
            check_text(text)
            text = self._lifted(text)
        except MalformedText as error:
            raise MalformedAnswer(str(error)) from None
        unknown = [label for label in references(text) if self._label(label) not in {*self._asked.labels, *self._contents}]
        if unknown:
            raise MalformedAnswer(f"a label #{unknown[0]} that stands for nothing")
        return replace_references(text, lambda label: f"#{self._label(label)}")

    def _lifted(self, text: str) -> str:
        while match := next((found for found in _ANCHOR.finditer(text) if found[1]), None):
            end = content_end(text, match.end())
            label = int(match[1])
            self._contents[self._label(label)] = self._text(text[match.end() : end])
            text = text[: match.end()] + text[end:]
        return text


def content_end(text: str, start: int) -> int:
    """Where the bracketed content that begins at `start` ends."""
    depth = 0
    for match in re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[({]|[\])}]""", re.DOTALL).finditer(text, start):
        if match[0] in "[({":
            depth += 1
        elif match[0] in "])}":
            depth -= 1
            if depth == 0:
                return match.end()
    raise MalformedText("a label in front of nothing")


class _Writer:
    """Writes values with their objects, numbering labels as they appear."""

    def __init__(self, heap: dict[int, str]) -> None:
        self._heap = heap
        self._numbers: dict[int, int] = {}

    @property
    def order(self) -> list[int]:
        return list(self._numbers)

    def anchored(self, text: str) -> str:
        return replace_references(text, self._reference)

    def _reference(self, label: int) -> str:
        if label in self._numbers:
            return f"#{self._numbers[label]}"
        self._numbers[label] = len(self._numbers) + 1
        return f"#{self._numbers[label]}{self.anchored(self._heap[label])}"


class _Fresh:
    """Writes an effect's values: known labels renumbered, new objects written out where they stand."""

    def __init__(self, new: dict[int, str], known: dict[int, int], effect: Effect) -> None:
        self._new = new
        self._known = known
        everything = [text for _, text in effect.bound] + [text for _, text in effect.contents] + [effect.raised or ""]
        counts = [label for text in everything for label in references(text)]
        self._shared = {label for label in new if counts.count(label) > 1}
        self._numbers: dict[int, int] = {}

    def text(self, text: str) -> str:
        return replace_references(text, self._reference)

    def _reference(self, label: int) -> str:
        if label in self._known:
            return f"#{self._known[label]}"
        if label in self._numbers:
            return f"#{self._numbers[label]}"
        if label not in self._shared:
            return self.text(self._new[label])
        self._numbers[label] = len(self._known) + len(self._numbers) + 1
        return f"#{self._numbers[label]}{self.text(self._new[label])}"


def _bound_method(text: str) -> re.Match[str] | None:
    """A bound method's receiver and name; `str.upper` and `math.floor` are plain names."""
    match = _METHOD.match(text)
    return match if match and (text[0] in "#'\"([{" or text.startswith(("b'", 'b"'))) and text[-1] not in "'\"" else None


def _receiver(text: str) -> str:
    match = _bound_method(text)
    assert match
    return match[1]


@lru_cache(maxsize=65_536)
def _rewritten(statement: str, reads: tuple[str, ...], methods: tuple[tuple[str, str], ...]) -> tuple[str, tuple[str, ...]]:
    """The line with its variables renamed, and their real names in order of appearance."""
    header = statement.startswith("for ")
    tree = ast.parse(f"{statement} pass" if header else statement).body[0]
    renamer = _Renamer(frozenset(reads), dict(methods))
    text = ast.unparse(renamer.visit(tree))
    return (text.partition(":\n")[0] if header else text), tuple(renamer.names)


class _Renamer(ast.NodeTransformer):
    """Variables to v0, v1, ...; a name that holds a bound method becomes that method of its receiver."""

    def __init__(self, reads: frozenset[str], methods: dict[str, str]) -> None:
        self._reads = reads
        self._methods = methods
        self.names: list[str] = []

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802  # the name ast gives it
        if isinstance(node.ctx, ast.Load) and node.id not in self._reads:
            return node
        renamed = ast.Name(self._renamed(node.id), node.ctx)
        method = self._methods.get(node.id)
        return ast.Attribute(renamed, method, ast.Load()) if method and isinstance(node.ctx, ast.Load) else renamed

    def _renamed(self, name: str) -> str:
        if name not in self.names:
            self.names.append(name)
        return f"v{self.names.index(name)}"

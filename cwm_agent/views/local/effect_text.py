"""Writes effects as rows of text and parses answers back; shared by all views whose answers hold effects.

name=value     a name bound; new objects are written out in place
#2=[...]       the new content of an object the question showed, or the change to it (`change_text.py`)
del name       a name unbound
!Error(...)    the exception raised
~...           scratchpad rows, which the reader skips (`scratchpad.py`)

A run of one item is written in short form (`repeated_items.py`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cwm_agent.views.local import change_text, repeated_items
from cwm_agent.views.scratchpad import scratchpad
from envs.execution.state.effects import Effect
from envs.execution.state.value_grammar import label_of, references, replace_references
from envs.execution.text.canonical_labels import MalformedText, check_text, is_mutable
from envs.execution.text.library_values import DRIVEN

_ROW = re.compile(
    r"(?P<name>[^\W\d]\w*)=(?P<text>.+)$|\#(?P<label>\d+)(?P<change>[=\[].+)$|!(?P<raised>.+)$|del (?P<unbound>\w+)$"
    r"|del \#(?P<holder>\d+)\[(?P<taken>.+)\]$",
    re.DOTALL,
)
_ANCHOR = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\#([0-9]+)(?=[\[{A-Za-z_])""", re.DOTALL)
_BRACKETS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[({]|[\])}]""", re.DOTALL)
_POSITION = re.compile(rf"(?:iter|reversed|enumerate|zip|map|{'|'.join(sorted(DRIVEN))})\(")
_KIND = re.compile(r"([^\W\d][\w.@]*)?([\[{(])")
_DEEPEST = 50
"""Most levels of new objects written inside each other; a deeper answer is malformed."""
_PROVISIONAL = 1_000_000
"""First label of new objects, far above those of any frame; the stepper renumbers them in the next frame."""


class MalformedAnswer(ValueError):
    """An answer that holds no effect; its text is the reason."""


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question as the model sees it, with all that the parser of the answer needs."""

    text: str
    names: tuple[tuple[str, str], ...]
    """Names as shown, with the real names."""
    labels: tuple[int, ...]
    """Real labels of #1, #2, ..."""
    context: str = ""
    """The text that many questions share and the model reads once: the program, or nothing."""
    loop: bool = False
    """Whether the line is a loop's header: a rule sets the loop's position, so the answer does not hold it."""
    statement: str = ""
    """The line with names as shown; it decides the form of a change."""
    values: tuple[tuple[str, str], ...] = ()
    """Names as shown, with their values before the line."""
    contents: tuple[tuple[int, str], ...] = ()
    """Objects before the line, by their real labels."""


def answer_rows(asked: ShownQuestion, effect: Effect) -> list[str]:
    """Return an effect as a model should write it: the scratchpad row, if the line has one, then the effect."""
    return ([] if effect.raised is not None else _working_rows(asked)) + effect_rows(asked, effect)


def effect_rows(asked: ShownQuestion, effect: Effect) -> list[str]:
    """Return an effect alone; nothing is computed for it."""
    known = {label: number for number, label in enumerate(asked.labels, start=1)}
    if asked.loop:
        effect = _without_positions(effect)
    if effect.raised is not None:
        asked = replace(asked, statement="")  # an incomplete change, which no form describes
    fresh = _EffectWriter(known, effect)
    rows = [*_bound_rows(asked, effect, fresh), *_content_rows(asked, effect, fresh, known)]
    shown = {real: name for name, real in asked.names}
    rows += [f"del {shown.get(name, name)}" for name in effect.unbound]
    rows += [f"!{fresh.text(effect.raised)}"] if effect.raised is not None else []
    return [repeated_items.shortened(row) for row in rows]


def _working_rows(asked: ShownQuestion) -> list[str]:
    before, heap = dict(asked.values), dict(asked.contents)

    def content(text: str) -> str:
        label = label_of(text)
        return text if label is None else heap.get(label, "")

    found = scratchpad.workings(asked.statement, before, content)
    return [] if found is None else [f"{scratchpad.SIGN}{found}"]


def _bound_rows(asked: ShownQuestion, effect: Effect, fresh: "_EffectWriter") -> list[str]:
    form, before = change_text.line(asked.statement), dict(asked.values)
    shown = {real: name for name, real in asked.names}
    order = {real: position for position, (_, real) in enumerate(asked.names)}
    rows = []
    for real, text in sorted(effect.bound, key=lambda row: order.get(row[0], len(order))):
        name = shown.get(real, real)
        if name == form.target and name in before:
            text = change_text.text_change(form, before[name], text)
        rows.append(f"{name}={fresh.text(text)}")
    return rows


def _content_rows(asked: ShownQuestion, effect: Effect, fresh: "_EffectWriter", known: Mapping[int, int]) -> list[str]:
    form, before = change_text.line(asked.statement), dict(asked.values)
    target = label_of(before.get(form.target, ""))
    old, new = dict(asked.contents), dict(effect.contents)
    rows = []
    for label in asked.labels:
        here = form if label == target else change_text.NO_FORM
        if label not in old:
            written = f"={new[label]}" if label in new else None
        elif label in new or here.form in ("stored", "gained", "lost"):
            written = change_text.content_change(here, here.place(before), old[label], new.get(label, old[label]))
        else:
            written = None
        if written is not None:
            taken = written.startswith("del ")
            rows.append(
                f"del #{known[label]}[{fresh.text(written[4:])}]" if taken else f"#{known[label]}{fresh.text(written)}"
            )
    return rows


def _without_positions(effect: Effect) -> Effect:
    contents = tuple(row for row in effect.contents if not _POSITION.match(row[1]))
    return Effect(effect.bound, effect.unbound, contents, effect.raised)


class _EffectWriter:
    """Writes an effect's values: known labels renumbered, new objects written out in place."""

    def __init__(self, known: Mapping[int, int], effect: Effect) -> None:
        self._known = known
        self._new = {label: text for label, text in effect.contents if label not in known}
        texts = [text for _, text in (*effect.bound, *effect.contents)] + [effect.raised or ""]
        mentions = [label for text in texts for label in references(text)]
        self._shared = {
            label for label, text in self._new.items() if mentions.count(label) > 1 or not _is_plainly_new(text)
        }
        self._numbers: dict[int, int] = {}

    def text(self, text: str) -> str:
        return replace_references(text, self._reference)

    def _reference(self, label: int) -> str:
        if label in self._known:
            return f"#{self._known[label]}"
        if label in self._numbers:
            return f"#{self._numbers[label]}"
        if label not in self._new:
            raise MalformedText(f"reference #{label} to an object that is not there")
        if label not in self._shared:
            return self.text(self._new[label])
        self._numbers[label] = len(self._known) + len(self._numbers) + 1
        return f"#{self._numbers[label]}{self.text(self._new[label])}"


def _is_plainly_new(content: str) -> bool:
    """Whether a text written in place can only be a new object; `Box(n=1)` needs a label to be one."""
    match = _KIND.match(content)
    return match is not None and is_mutable(match[1], match[2])


def read_effect(asked: ShownQuestion, rows: Sequence[str], *, own_names: bool) -> Effect:
    """Return the effect of some rows; with `own_names` the answer may bind names that the question did not show."""
    reader = _Reader(asked, own_names)
    try:
        for row in rows:
            reader.row(row)
    except MalformedAnswer:
        raise
    except change_text.BadChange as error:
        raise MalformedAnswer(str(error)) from None
    except (ValueError, RecursionError) as error:  # labels of thousands of digits, brackets thousands deep
        raise MalformedAnswer(f"an answer beyond all measure: {error}") from None
    return reader.effect()


class _Reader:
    """Collects the effect from the rows of one answer."""

    def __init__(self, asked: ShownQuestion, own_names: bool) -> None:
        self._names = dict(asked.names)
        self._labels = asked.labels
        self._before = {real: text for name, text in asked.values for shown, real in asked.names if shown == name}
        self._old = dict(asked.contents)
        self._own_names = own_names
        self._bound: dict[str, str] = {}
        self._contents: dict[int, str] = {}
        self._unbound: list[str] = []
        self._raised: str | None = None
        self._depth = 0

    def row(self, row: str) -> None:
        if row.startswith(scratchpad.SIGN):
            return
        match = _ROW.match(repeated_items.whole(row))
        if match is None:
            raise MalformedAnswer(f"a row that says nothing: {row[:80]!r}")
        if match["raised"]:
            self._raised = self._text(match["raised"])
        elif match["unbound"]:
            self._unbound.append(self._name(match["unbound"]))
        elif match["name"]:
            name = self._name(match["name"])
            text = change_text.changed_text(self._before.get(name), match["text"])
            self._bound[name] = self._text(text)
        elif match["holder"]:
            self._change(int(match["holder"]), f"del {self._text(match['taken'])}")
        else:
            written = match["change"]
            self._change(
                int(match["label"]), written[0] + self._text(written[1:]) if written[0] == "=" else self._text(written)
            )

    def _change(self, number: int, written: str) -> None:
        """Store a new content; unless the row holds the whole content, the old content must be known."""
        label = self._label(number)
        old = self._contents.get(label, self._old.get(label))
        whole = written[0] == "=" and not written.startswith("=..")
        if old is None and not whole:
            raise MalformedAnswer(f"a change to #{number}, which the question does not hold")
        self._contents[label] = change_text.changed(old or "", written)

    def effect(self) -> Effect:
        contents = tuple(sorted(self._contents.items()))
        return Effect(tuple(self._bound.items()), tuple(self._unbound), contents, self._raised)

    def _name(self, written: str) -> str:
        if written in self._names:
            return self._names[written]
        if not self._own_names:
            raise MalformedAnswer(f"a name {written} that the line does not hold")
        return written

    def _label(self, number: int) -> int:
        if number < 1:
            raise MalformedAnswer(f"a label #{number} that the question does not hold")
        return self._labels[number - 1] if number <= len(self._labels) else _PROVISIONAL + number

    def _text(self, text: str) -> str:
        """Return the text with the frame's labels; each object written out in it gets its own content."""
        try:
            check_text(text)
            text = self._lifted(text)
        except MalformedText as error:
            raise MalformedAnswer(str(error)) from None
        held = {*self._labels, *self._contents}
        for label in references(text):
            if self._label(label) not in held:
                raise MalformedAnswer(f"a label #{label} that stands for nothing")
        return replace_references(text, lambda label: f"#{self._label(label)}")

    def _lifted(self, text: str) -> str:
        while match := next((found for found in _ANCHOR.finditer(text) if found[1]), None):
            end = _content_end(text, match.end())
            self._depth += 1
            if self._depth > _DEEPEST:
                raise MalformedText("objects nested too deep")
            label = self._label(int(match[1]))
            self._contents.setdefault(label, "")  # its content may lead back to it
            self._contents[label] = self._text(text[match.end() : end])
            self._depth -= 1
            text = text[: match.end()] + text[end:]
        return text


def _content_end(text: str, start: int) -> int:
    """Return where the bracketed content that begins at `start` ends."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        if match[0] in "[({":
            depth += 1
        elif match[0] in "])}":
            depth -= 1
            if depth == 0:
                return match.end()
    raise MalformedText("a label in front of nothing")

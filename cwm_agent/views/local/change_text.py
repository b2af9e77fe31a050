"""Writes and reads changes in short form: the change alone if the line's form shows its kind, else the whole content.

    v0=..+'x'          text grown at its end; `'x'+..` at its front
    #1=..+[x]          a list grown at its end
    #1[i]=x            an item or a key stored, written even if it was the same before
    #1[i:i]=[x]        an item inserted before place i
    del #1[i]          an item or a key removed
    #1=..|{x}          a set that gained an item; `..-{x}` lost it

`..` is the old content. The form of an answer follows from the line alone and never from the values, so that a model
can learn it; a place is written as in the question. A form is used only if it gives the new content exactly. So the
length of an answer depends on the change alone: an append to a list of a hundred items takes a few bytes.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.stepper.values.value_rules import key_end, split_items

_NAME = r"[^\W\d]\w*"
_BIND = rf"(?:{_NAME} = )?"
_FORMS = tuple(
    (form, re.compile(pattern, re.DOTALL))
    for form, pattern in (
        ("grown", rf"{_BIND}(?P<target>{_NAME})\.(?:append|extend)\("),
        ("stored", rf"(?P<target>{_NAME})\[(?P<index>.+?)\] (?:[-+*/%&|^@]|//|\*\*|<<|>>)?= "),
        ("grown", rf"(?P<target>{_NAME}) \+= "),
        ("grown", rf"(?P<target>{_NAME}) = (?P=target) \+ "),
        ("preceded", rf"(?P<target>{_NAME}) = .+ \+ (?P=target)$"),
        ("put", rf"{_BIND}(?P<target>{_NAME})\.insert\((?P<index>[^,]+), "),
        ("taken", rf"{_BIND}(?P<target>{_NAME})\.pop\((?P<index>.*)\)$"),
        ("taken", rf"del (?P<target>{_NAME})\[(?P<index>.+)\]$"),
        ("gained", rf"{_BIND}(?P<target>{_NAME})\.add\((?P<index>.+)\)$"),
        ("lost", rf"{_BIND}(?P<target>{_NAME})\.(?:discard|remove)\((?P<index>.+)\)$"),
    )
)
_PLACE = re.compile(r"-?\d{1,9}$")
_HASHED = re.compile(r"(?:(?:Counter|OrderedDict|defaultdict)\((?:[\w.]+, )?)?\{", re.DOTALL)


class BadChange(ValueError):
    """A change that cannot be applied to the old content; its text is the reason."""


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """How a line changes the object or text it names, as far as its form shows it."""

    form: str
    target: str
    index: str

    def place(self, values: Mapping[str, str]) -> str:
        """Return the place or item as in the question: a variable's value, -1 for `pop()`, the key of `pop(k, 0)`."""
        first = split_items(f"({self.index})")[:1] if self.form == "taken" else [self.index]
        written = first[0] if first else "-1"
        return values.get(written, written)


NO_FORM = ChangedLine("", "", "")


@bounded_cache(8 * MIB)
def line(statement: str) -> ChangedLine:
    """Return the form of a line; NO_FORM if it has none."""
    for form, pattern in _FORMS:
        match = pattern.match(statement)
        if match:
            return ChangedLine(form, match["target"], match.groupdict().get("index") or "")
    return NO_FORM


# -- writing


def text_change(form: ChangedLine, old: str, new: str) -> str:
    """Return a new text value, in short form if the line extends the old one."""
    if form.form not in ("grown", "preceded") or not _is_text(old) or not _is_text(new) or len(old) == 2:
        return new
    try:
        before, after = ast.literal_eval(old), ast.literal_eval(new)
    except (ValueError, SyntaxError):  # an imagined value that begins as a text does, and is none
        return new
    if form.form == "grown" and after.startswith(before):
        return f"..+{after[len(before) :]!r}"
    if form.form == "preceded" and after.endswith(before):
        return f"{after[: len(after) - len(before)]!r}+.."
    return new


def content_change(form: ChangedLine, place: str, old: str, new: str) -> str | None:
    """Return the text behind `#1` in the row of a new content; None if no row is needed."""
    change = _by_form(form.form, place, old, new)
    if change is not None and _gives(old, change, new):
        return change
    if old == new:
        return None
    change = _by_key(old, new)
    return change if change is not None and _gives(old, change, new) else f"={new}"


def _by_form(form: str, place: str, old: str, new: str) -> str | None:
    if old.startswith("[") and new.startswith("["):
        return _list_change(form, place, old, new)
    if form == "gained" and _is_set(old):
        return f"=..|{{{place}}}"
    if form == "lost" and _is_set(old):
        return f"=..-{{{place}}}"
    return None


def _list_change(form: str, place: str, old: str, new: str) -> str | None:
    if form == "grown" and old != "[]" and new != old and new.startswith(f"{old[:-1]}, "):
        return f"=..+[{new[len(old) + 1 :]}"
    if not _PLACE.match(place):
        return None
    index = int(place)
    if form == "stored":
        items = split_items(new)
        return f"[{place}]={items[index]}" if -len(items) <= index < len(items) else None
    if form == "taken":
        return f"del {place}"
    if form == "put":
        items = split_items(new)
        at = range(len(items) - 1)[index:].start if index else 0
        return f"[{place}:{place}]=[{items[at]}]"
    return None


def _by_key(old: str, new: str) -> str | None:
    """Return the change of one key stored in or removed from a dict, by any kind of line; None for other changes."""
    if not (_HASHED.match(old) and _HASHED.match(new)) or _is_set(old) or _is_set(new):
        return None
    try:
        before, after = _pairs(old), _pairs(new)
    except BadChange:  # content that only a model said, and that is no dict
        return None
    gone = [key for key in before if key not in after]
    stored = [key for key in after if before.get(key) != after[key]]
    if len(gone) + len(stored) != 1 or len(after) < 1:
        return None
    return f"del {gone[0]}" if gone else f"[{stored[0]}]={after[stored[0]]}"


def _gives(old: str, change: str, new: str) -> bool:
    try:
        return changed(old, change) == new
    except BadChange:
        return False


# -- reading


def changed_text(old: str | None, change: str) -> str:
    """Return a text value from its written form: `..+'x'`, or the whole text."""
    front, back = change.startswith("..+"), change.endswith("+..")
    if not front and not back:
        return change
    if old is None or not _is_text(old):
        raise BadChange("a text that grew, where none stood before")
    part = change[3:] if front else change[:-3]
    try:
        piece = ast.literal_eval(part)
        before = ast.literal_eval(old)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise BadChange(f"a text that cannot be read: {part[:40]}") from error
    if not isinstance(piece, str):
        raise BadChange(f"a text grown by {part[:40]}")
    return repr(before + piece if front else piece + before)


def changed(old: str, change: str) -> str:
    """Return the new content of an object from the text behind its label (`=..+[x]`, `[i]=x`, or `del i`)."""
    if change.startswith("=..+"):
        return _grown(old, change[4:])
    if change.startswith(("=..|", "=..-")):
        return _resized_set(old, change[3], change[4:])
    if change.startswith("="):
        return change[1:]
    if change.startswith("del "):
        return _taken(old, change[4:])
    return _stored(old, change)


def _grown(old: str, part: str) -> str:
    if not old.startswith("[") or part[:1] != "[" or part[-1:] != "]":
        raise BadChange("a list that grew, where none stood before")
    return part if old == "[]" else old if part == "[]" else f"{old[:-1]}, {part[1:]}"


def _resized_set(old: str, sign: str, part: str) -> str:
    if not _is_set(old) or part[:1] != "{" or part[-1:] != "}":
        raise BadChange("a set that changed, where none stood before")
    items = [] if old == "set()" else split_items(old)
    changed = split_items(part)
    if sign == "|":
        held = frozenset(items)
        items += [item for item in changed if item not in held]
    else:
        removed = frozenset(changed)
        items = [item for item in items if item not in removed]
    return f"{{{', '.join(_sorted(items))}}}" if items else "set()"


def _sorted(items: list[str]) -> list[str]:
    """Return the items of a set in the order a frame shows them."""
    try:
        values = [ast.literal_eval(item) for item in items]
        return [item for _, item in sorted(zip(values, items, strict=True), key=lambda pair: pair[0])]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return sorted(items)


def _taken(old: str, place: str) -> str:
    if old.startswith("["):
        items = split_items(old)
        del items[_index(place, len(items))]
        return f"[{', '.join(items)}]"
    pairs = _pairs(old)
    if place not in pairs:
        raise BadChange(f"a key {place[:40]} taken out that was not there")
    del pairs[place]
    return _rewritten(old, pairs)


def _stored(old: str, change: str) -> str:
    end = _closing(change)
    place, value = change[1:end], change[end + 2 :]
    if change[end + 1 : end + 2] != "=" or not value:
        raise BadChange(f"a change that says nothing: {change[:40]}")
    if old.startswith("["):
        return _stored_item(old, place, value)
    return _rewritten(old, _pairs(old) | {place: value})


def _stored_item(old: str, place: str, value: str) -> str:
    items = split_items(old)
    start, colon, end = place.partition(":")
    if colon:
        if start != end or not _PLACE.match(start) or not value.startswith("["):
            raise BadChange(f"a place {place[:40]} that is none")
        items[int(start) : int(start)] = split_items(value)
    else:
        items[_index(place, len(items))] = value
    return f"[{', '.join(items)}]"


def _index(place: str, count: int) -> int:
    if not _PLACE.match(place) or not -count <= int(place) < count:
        raise BadChange(f"a place {place[:40]} that is not there")
    return int(place)


def _closing(change: str) -> int:
    """Return where the bracket that opens `change` closes."""
    depth, quote, at = 0, "", 0
    while at < len(change):
        sign = change[at]
        if quote:
            at += sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "[({":
            depth += 1
        elif sign in "])}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise BadChange(f"a place that is not closed: {change[:40]}")


def _is_text(value: str) -> bool:
    return value.startswith(("'", '"'))


def _is_set(content: str) -> bool:
    if content == "set()":
        return True
    if not content.startswith("{") or content == "{}":
        return False
    items = split_items(content)
    return bool(items) and key_end(items[0]) is None


def _pairs(content: str) -> dict[str, str]:
    match = _HASHED.match(content)
    if match is None or _is_set(content):
        raise BadChange("a key stored, where no dict stood before")
    found: dict[str, str] = {}
    for item in split_items(content[match.end() - 1 : content.rindex("}") + 1]):
        end = key_end(item)
        if end is None:
            raise BadChange("a key stored, where no dict stood before")
        found[item[:end]] = item[end + 2 :]
    return found


def _rewritten(content: str, pairs: Mapping[str, str]) -> str:
    match = _HASHED.match(content)
    assert match
    inner = ", ".join(f"{key}: {value}" for key, value in pairs.items())
    return f"{content[: match.end()]}{inner}{content[content.rindex('}') :]}"

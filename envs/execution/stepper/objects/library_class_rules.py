"""What a rule decides about named tuples and enums: making one, its fields, a member by its name or its value.

As with the program's own objects, finding a field is a binding; what is computed from it is the oracle's. Values are
texts such as `Point(x=1, y=2)` and `Color('RED', 1)`. Knows no control flow.
"""

import ast
import re

from envs.execution.state.value_grammar import ImpossibleState, Unsupported, label_of
from envs.execution.stepper.argument_binding import bound_fields
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.name_lookup import Callee
from envs.execution.stepper.values.value_rules import closing, split_items, without_strings
from envs.execution.syntax.classes.library_classes import EnumFacts, LibraryClasses

_VALUE = re.compile(r"([^\W\d]\w*)(\(.*\))$", re.DOTALL)

_SCALAR = re.compile(r"-?\d+$|'[^'\\]*'$")
"""Values that equal only a value of the same text."""


class LibraryClassRules:
    """The rules over one program's named tuples and enums."""

    def __init__(self, classes: LibraryClasses, variables: FrameVariables) -> None:
        self._classes = classes
        self._variables = variables
        names = sorted([*classes.tuples, *classes.enums])
        self._written = re.compile(rf"(?<![\w.])({'|'.join(names)})\(") if names else None

    def check(self, text: str) -> None:
        """Raise ImpossibleState for a named tuple with other fields than its class, or a member that is none."""
        if self._written is None or not self._written.search(text):
            return
        bare = without_strings(text)
        for match in self._written.finditer(bare):
            parts = split_items(text[match.end() - 1 : closing(text, match.end() - 1)])
            fields, facts = self._classes.tuples.get(match[1]), self._classes.enums.get(match[1])
            if fields is not None and [part.partition("=")[0] for part in parts] != list(fields):
                raise ImpossibleState(f"a {match[1]} without just the fields {', '.join(fields)}: {text[:80]}")
            if facts is not None and not _is_member(parts, facts):
                raise ImpossibleState(f"a member that {match[1]} does not have: {text[:80]}")

    def apply(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Bind what the line binds, if rules know it; False leaves the builder unchanged."""
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                text = self._value(builder, value)
                if text is not None:
                    self._variables.bind(builder, target, text)
                return text is not None
            case ast.Expr(value=ast.Call() as value):
                return self._value(builder, value) is not None
        return False

    def _value(self, builder: FrameBuilder, node: ast.expr) -> str | None:
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[subject, ast.Name() as wanted], keywords=[]):
                return self._is_a(builder, subject, self._read(builder, wanted))
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="_make"), args=[ast.Name() as items]):
                return self._collected(builder, self._read(builder, owner), self._read(builder, items))
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="_replace"), args=[], keywords=changed):
                return self._replaced(builder, self._read(builder, owner), changed)
            case ast.Call(func=ast.Name() as func):
                return self._called(builder, self._read(builder, func), node)
            case ast.Attribute(value=ast.Name() as owner, attr=attr):
                return self._attribute(self._read(builder, owner), attr)
            case ast.Subscript(value=ast.Name() as owner, slice=ast.Name() | ast.Constant() as index):
                facts = self._classes.enums.get(self._read(builder, owner))
                return None if facts is None else self._named(builder, owner, facts, index)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(left, ast.Name):
                return self._compared(builder, left, op, right)
        return None

    def _read(self, builder: FrameBuilder, node: ast.expr) -> str:
        return self._variables.atom(builder, node)

    def _called(self, builder: FrameBuilder, owner: str, call: ast.Call) -> str | None:
        """A new named tuple, or the member with a value."""
        if (facts := self._classes.enums.get(owner)) is not None:
            if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
                return None
            given = self._read(builder, call.args[0])
            if self._member(given) is not None:
                return given
            name = next((name for name, text in facts.members.items() if text == given), None)
            if name is None and facts.flags:
                return _combination(owner, given, facts)
            if name is None and not _SCALAR.match(given):
                raise Unsupported(f"a member of {owner} for the value {given[:40]}")
            if name is None:
                raise Raised(f"ValueError({f'{given} is not a valid {owner}'!r})")
            return _member_text(owner, name, facts)
        fields = self._classes.tuples.get(owner)
        if fields is None:
            return None
        read = lambda node: self._read(builder, node)  # noqa: E731
        found = bound_fields(
            f"{self._classes.makers[owner]}.__new__", fields, Callee((owner, 0), call), read, scope=builder
        )
        if not isinstance(found, dict):
            raise Raised(str(found))
        return f"{owner}({', '.join(f'{name}={text}' for name, text in found.items())})"

    def _is_a(self, builder: FrameBuilder, subject: ast.expr, wanted: str) -> str | None:
        """Whether a value is a named tuple or a member of a class: its text begins with the name of its class."""
        if wanted not in self._classes.enums and wanted not in self._classes.tuples:
            return None
        return repr(self._read(builder, subject).startswith(f"{wanted}("))

    def _collected(self, builder: FrameBuilder, owner: str, items: str) -> str | None:
        """`Point._make(items)` of a list or a tuple."""
        fields, label = self._classes.tuples.get(owner), label_of(items)
        content = items if label is None else builder.heap.get(label, "")
        if fields is None or not content.startswith(("[", "(")):
            return None
        given = split_items(content)
        if len(given) != len(fields):
            raise Raised(f"TypeError({f'Expected {len(fields)} arguments, got {len(given)}'!r})")
        return f"{owner}({', '.join(f'{name}={text}' for name, text in zip(fields, given, strict=True))})"

    def _replaced(self, builder: FrameBuilder, text: str, changed: list[ast.keyword]) -> str | None:
        """`point._replace(x=1)`: the named tuple with other values of some fields."""
        match = _VALUE.match(text)
        fields = self._classes.tuples.get(match[1]) if match else None
        if match is None or fields is None or any(each.arg not in fields for each in changed):
            return None
        given = {name: held for name, _, held in (part.partition("=") for part in split_items(match[2]))}
        given |= {str(each.arg): self._read(builder, each.value) for each in changed}
        return f"{match[1]}({', '.join(f'{name}={held}' for name, held in given.items())})"

    def _attribute(self, text: str, attr: str) -> str | None:
        """A member of an enum, its name or value, or a field of a named tuple."""
        if (facts := self._classes.enums.get(text)) is not None:
            return _member_text(text, attr, facts) if attr in facts.members else None
        if attr == "_fields" and text in self._classes.tuples:
            names = self._classes.tuples[text]
            return f"({', '.join(map(repr, names))}{',' if len(names) == 1 else ''})"
        if (member := self._member(text)) is not None:
            owner, name = member
            facts = self._classes.enums[owner]
            if attr in facts.fields:
                place = facts.fields[attr]
                return facts.members[name] if place is None else split_items(facts.members[name])[place]
            return {"name": repr(name), "value": facts.members[name]}.get(attr)
        match = _VALUE.match(text)
        if match is None or attr not in self._classes.tuples.get(match[1], {}):
            return None
        given = {name: held for name, _, held in (part.partition("=") for part in split_items(match[2]))}
        return given.get(attr) or None  # a model may have written a tuple without this field

    def _named(self, builder: FrameBuilder, owner: ast.Name, facts: EnumFacts, index: ast.expr) -> str | None:
        """The member of `Color['RED']`."""
        given = self._read(builder, index)
        name = next((name for name in facts.members if repr(name) == given), None)
        if name is None:
            raise Raised(f"KeyError({given})")
        return _member_text(self._read(builder, owner), name, facts)

    def _compared(self, builder: FrameBuilder, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str | None:
        """`is` between members, and `==` where they equal nothing but themselves."""
        if not isinstance(right, ast.Name) or not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            return None
        texts = [self._read(builder, left), self._read(builder, right)]
        members = [self._member(text) for text in texts]
        if None in members:
            return None
        if isinstance(op, ast.Eq | ast.NotEq) and any(self._classes.enums[each[0]].mixed for each in members if each):
            return None
        return repr((texts[0] == texts[1]) == isinstance(op, ast.Is | ast.Eq))

    def _member(self, text: str) -> tuple[str, str] | None:
        """The enum and the name of a member's text."""
        match = _VALUE.match(text)
        facts = self._classes.enums.get(match[1]) if match else None
        if match is None or facts is None:
            return None
        name = next((name for name in facts.members if match[2].startswith(f"({name!r}, ")), None)
        return None if name is None else (match[1], name)


def _is_member(parts: list[str], facts: EnumFacts) -> bool:
    """Whether name and value are those of a member, or of flags that are combined."""
    if parts in [[repr(name), held] for name, held in facts.members.items()]:
        return True
    if not facts.flags or len(parts) != 2:
        return False
    other_bits = facts.mixed and "|" in parts[0]  # flags that are numbers keep bits of no member
    return other_bits or _combination("", parts[1], facts) == f"({parts[0]}, {parts[1]})"


def _combination(owner: str, given: str, facts: EnumFacts) -> str | None:
    """The flags of a number that is no member; None where it has bits that are no flag."""
    bits = int(given) if given.isdecimal() else -1
    names = [name for name in facts.listed if bits & int(facts.members[name])]
    if bits < 0 or sum(int(facts.members[name]) for name in names) != bits:
        return None
    return f"{owner}({'|'.join(names)!r}, {bits})" if bits else f"{owner}(None, 0)"


def _member_text(owner: str, name: str, facts: EnumFacts) -> str:
    return f"{owner}({name!r}, {facts.members[name]})"

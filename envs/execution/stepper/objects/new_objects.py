"""What a new object of the program holds: fields of a dataclass, arguments of an exception, items of a container.

Rules make it from the arguments of the call alone; what a function of the program adds is steps of its own. Knows no
control flow.
"""

import ast
from collections.abc import Mapping, Sequence

from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.stepper.argument_binding import bound_fields, positional_arguments
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.name_lookup import Callee
from envs.execution.stepper.objects.container_objects import copied_content, empty_content, value_content
from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.stepper.objects.text_scope import TextScope
from envs.execution.syntax.classes.dataclass_fields import DataclassField
from envs.execution.syntax.classes.own_classes import OwnClass, OwnClasses
from envs.execution.syntax.classes.value_bases import VALUE_BASES
from envs.execution.syntax.python_version import abstract_message


def placed(builder: FrameBuilder, content: str) -> str:
    """A reference to a new object."""
    label = max(builder.heap, default=0) + 1
    builder.heap[label] = content
    return f"#{label}"


class NewObjects:
    """Makes objects of one program's classes."""

    def __init__(self, classes: OwnClasses, variables: FrameVariables, origin: Sequence[int]) -> None:
        """`origin` gives the original line of each line of the program."""
        self._classes = classes
        self._variables = variables
        self._origin = origin

    def made(self, builder: FrameBuilder, owner: str, call: ast.Call) -> str | None:
        """A new object of a class whose constructor runs no function of the program."""
        mine = self._classes[owner]
        if mine.odd:
            reason, line = mine.odd
            raise Unsupported(f"{reason} (line {self._origin[line - 1]})")
        if left := self._classes.abstract_names(owner):
            if not any("ABC" in self._classes[each].bases for each in mine.lineage):
                return None  # only a class that ABC makes refuses
            raise Raised(f"TypeError({abstract_message(owner, left)!r})")
        content: str | None
        if mine.container in VALUE_BASES:
            content = value_content(mine, call, lambda node: self._variables.atom(builder, node), builder.heap)
            return None if content is None else placed(builder, content)
        if mine.container and (call.args or call.keywords):
            if mine.container == "OrderedDict" and self._classes.find(owner, "__setitem__"):
                return None  # which is called for each item
            content = copied_content(mine, call, lambda node: self._variables.atom(builder, node), builder.heap)
            if content is None:
                return None  # only Python tells what the container makes of its arguments
        else:
            content = self.content(builder, mine, call)
        if mine.exception and self._classes.find(owner, "__init__") is None:
            return content  # an exception without fields of its own is a value
        return placed(builder, content)

    def content(self, builder: FrameBuilder, mine: OwnClass, call: ast.Call) -> str:
        """What a new object holds before a function of the program sees it."""
        if mine.exception:
            if call.keywords and self._classes.find(mine.name, "__init__") is None:
                raise Raised(f"TypeError({f'{mine.name}() takes no keyword arguments'!r})")
            return str(ObjectText(mine.name, self.positional(builder, call)))
        first = self._classes.find(mine.name, "__init__")
        if mine.container:
            return empty_content(mine)
        if first is None and self._gives_any(builder, call):
            raise Raised(f"TypeError({f'{mine.name}() takes no arguments'!r})")
        if first is None or first.kind != "generated":
            return f"{mine.name}()"
        return str(ObjectText(mine.name, (), self._fields(builder, first.owner, call)))

    def _gives_any(self, builder: FrameBuilder, call: ast.Call) -> bool:
        """Whether a call gives an argument: `*items` and `**names` may be empty."""
        if any(word.arg is not None for word in call.keywords) or self.positional(builder, call):
            return True
        spread = [self._variables.atom(builder, word.value) for word in call.keywords]
        return any(builder.heap.get(label_of(text) or 0, text) != "{}" for text in spread)

    def positional(self, builder: FrameBuilder, call: ast.Call) -> tuple[str, ...]:
        """The arguments of a call that are given by place."""
        return tuple(positional_arguments(call, lambda node: self._variables.atom(builder, node), builder.heap))

    def _fields(self, builder: FrameBuilder, owner: str, call: ast.Call) -> Mapping[str, str]:
        """The fields of a dataclass object, from the arguments of its constructor."""
        facts = self._classes[owner].dataclass
        assert facts is not None
        named = [word.arg for word in call.keywords]
        wanted = {each.name: (each.default or "?") if each.optional else None for each in facts.fields if each.init}
        read = lambda node: self._variables.atom(builder, node)  # noqa: E731
        given = bound_fields(
            f"{self._classes[owner].path}.__init__",
            wanted,
            Callee((owner, 0), call),
            read,
            scope=builder,
            by_name=facts.kw_only,
        )
        if isinstance(given, str):
            raise Raised(given)
        assert isinstance(given, dict)
        if facts.only_given and (any(isinstance(each, ast.Starred) for each in call.args) or None in named):
            raise Unsupported("an InitVar that starred arguments may give")
        held = [each for each in facts.fields if not each.only_given]
        set_fields = [each for each in held if each.init or each.made]  # other defaults stay in the class
        fields = {each.name: given.get(each.name, each.default or "?") for each in set_fields}
        for each in set_fields:
            if fields[each.name] == "?":
                fields[each.name] = self._default(builder, owner, each)
        return fields

    def replaced(self, builder: FrameBuilder, call: ast.Call, scope: TextScope) -> str | None:
        """`dataclasses.replace(p, x=1)`: an object with the fields of another but for those given."""
        kind = scope.kind(call.args[0]) if len(call.args) == 1 else None
        if kind is None or kind.role != "instance" or not self._is_plain_dataclass(kind.owner):
            return None
        facts = self._classes[kind.owner].dataclass
        names = [each.name for each in facts.fields] if facts else []
        given = {word.arg or "": self._variables.atom(builder, word.value) for word in call.keywords}
        held = scope.object_of(kind).fields
        if not given.keys() <= set(names) <= held.keys() | given.keys():
            return None
        fields = {name: given[name] if name in given else held[name] for name in names}
        return placed(builder, str(ObjectText(kind.owner, (), fields)))

    def _is_plain_dataclass(self, owner: str) -> bool:
        """Whether making an object of the class only sets its fields."""
        mine, first = self._classes[owner], self._classes.find(owner, "__init__")
        if mine.odd or mine.dataclass is None or first is None or first.kind != "generated":
            return False
        plain = all(each.init and not each.only_given for each in mine.dataclass.fields)
        return plain and not self._classes.find(owner, "__post_init__")

    def _default(self, builder: FrameBuilder, owner: str, wanted: DataclassField) -> str:
        """A field's default that is no literal: what the class holds, or a new object of another class."""
        found = self.shared(builder, ObjectKind("class", owner), wanted.name) if wanted.shared else None
        made = self._classes.known(wanted.maker)
        if made is not None:
            first = self._classes.find(made.name, "__init__")
            after = self._classes.find(made.name, "__post_init__")
            if (first is None or first.kind == "generated") and after is None:
                call = wanted.call or ast.Call(ast.Name(made.name, ast.Load()), [], [])
                found = self.made(builder, made.name, call)
        if found is None:
            raise Unsupported(f"the default of the field {wanted.name!r}, which only running the program tells")
        return found

    def shared(self, builder: FrameBuilder, kind: ObjectKind, name: str) -> str | None:
        """A class attribute's value: the first that a class in the line of lookup has."""
        lineage = self._classes[kind.owner].lineage
        if kind.after is not None:
            lineage = lineage[lineage.index(kind.after) + 1 :]
        for owner in lineage:
            if (text := builder.globals.get(f"{owner}.{name}")) is not None:
                if text.startswith("?"):
                    raise Unsupported(f"{owner}.{name}, a {text[1:]}")
                return text
            if name in self._classes[owner].members:
                return None
        return None

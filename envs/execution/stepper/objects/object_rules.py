"""What a rule decides about the program's own objects without a call: attributes, making an object, identity, classes.

Looking an attribute up, setting it and asking for an object's class are bindings of names, like those of variables, so
rules decide them; what is computed from the values is the oracle's. Where Python would raise, `Raised` has the text.
"""

import ast
from collections.abc import Sequence

from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.objects.attribute_checks import AttributeChecks
from envs.execution.stepper.objects.attribute_text import bound_text, missing_text, tuple_text
from envs.execution.stepper.objects.class_membership import ClassMembership
from envs.execution.stepper.objects.container_objects import bare_content
from envs.execution.stepper.objects.identity_rules import same_object
from envs.execution.stepper.objects.new_objects import NewObjects, placed
from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.stepper.objects.own_calls import OwnCalls
from envs.execution.stepper.objects.text_scope import TextScope
from envs.execution.stepper.values.hashed_fields import HashedFields
from envs.execution.stepper.values.value_rules import class_name
from envs.execution.syntax.classes.base_types import base_type, lookup_order
from envs.execution.syntax.classes.own_classes import OwnClass
from envs.execution.syntax.line_map import LineMap

_PLAIN_OBJECT = frozenset(dir(object))
_READABLE = frozenset({"method", "static", "class", "data"})
_FROZEN = "dataclasses.FrozenInstanceError"


class ObjectRules:
    """The rules over one program's classes; asked about lines that call no function of the program."""

    def __init__(self, calls: OwnCalls, variables: FrameVariables, origin: Sequence[int], layout: LineMap) -> None:
        """`origin` gives the original line of each line of the program."""
        self._calls = calls
        self._classes = calls.classes
        self._variables = variables
        self._checks = AttributeChecks(calls)
        self._hashed = HashedFields(calls.classes, layout)
        self._membership = ClassMembership(calls, variables)
        self._new = NewObjects(calls.classes, variables, origin)

    def apply(self, builder: FrameBuilder, node: ast.AST, scope: TextScope) -> bool:
        """Do what the line does to the builder, if rules know it; False leaves the builder unchanged."""
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                text = self._value(builder, value, scope)
                if text is not None:
                    self._variables.bind(builder, target, text)
                return text is not None
            case ast.Expr(value=value):
                return self._value(builder, value, scope) is not None
            case ast.Assign(targets=[ast.Attribute() as target], value=value):
                return self._store(builder, target, value, scope)
            case ast.Delete(targets=[ast.Attribute() as target]):
                return self._store(builder, target, None, scope)
        return False

    def content(self, builder: FrameBuilder, mine: OwnClass, call: ast.Call) -> str:
        """What a new object holds before a function of the program sees it."""
        return self._new.content(builder, mine, call)

    def is_own(self, builder: FrameBuilder, text: str) -> bool:
        """Whether a reference leads to an object of the program."""
        return class_name(builder.heap[int(text[1:])]) in self._classes

    def is_instance(self, scope: TextScope, node: ast.expr) -> bool:
        """Whether a test is an object of the program, which is true unless its class says otherwise."""
        kind = scope.kind(node)
        return kind is not None and kind.role == "instance" and not self._classes[kind.owner].odd

    def filled(self, scope: TextScope, node: ast.expr) -> ObjectKind | None:
        """The object of a test whose class derives from a container: it is true if it holds anything."""
        kind = scope.kind(node) if self.is_instance(scope, node) else None
        return kind if kind is not None and self._classes[kind.owner].container else None

    def _value(self, builder: FrameBuilder, node: ast.expr, scope: TextScope) -> str | None:
        """The text of an expression's value, where rules know it."""
        match node:
            case ast.Attribute(value=ast.Name() as owner, attr=attr):
                kind = scope.kind(owner)
                return None if kind is None else self.attribute(builder, kind, scope.private(attr), scope)
            case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]) if scope.is_builtin("super"):
                return self._super(builder, scope)
            case ast.Call(func=ast.Name() as func):
                kind = scope.kind(func)
                if kind is not None:
                    return self._new.made(builder, kind.owner, node) if kind.role == "class" else None
                if func.id == "replace" and self._variables.is_imported(builder, "dataclasses", "replace"):
                    return self._new.replaced(builder, node, scope)
                return self._builtin(builder, func.id, node, scope) if scope.is_builtin(func.id) else None
            case ast.Call(func=ast.Attribute(value=ast.Name("object"), attr="__new__"), args=[ast.Name() as wanted]):
                kind = scope.kind(wanted) if scope.is_builtin("object") else None
                content = bare_content(self._classes, kind.owner) if kind and kind.role == "class" else None
                return None if content is None else placed(builder, content)
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr=attr)):
                return self._inherited(builder, owner, attr, node, scope=scope)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                texts = self._variables.atom(builder, left), self._variables.atom(builder, right)
                return same_object(self._classes, (left, right), op, scope, texts=texts)
            case ast.UnaryOp(op=ast.Not(), operand=operand) if self.is_instance(scope, operand):
                return None if self.filled(scope, operand) else "False"
        return None

    # -- attributes

    def attribute(
        self, builder: FrameBuilder, kind: ObjectKind, name: str, scope: TextScope, *, called: bool = False
    ) -> str | None:
        """What an attribute holds; None where only the oracle can tell. `called`: the line calls it and no more."""
        if kind.role == "bound" or self._classes[kind.owner].odd:
            return None
        member = self._calls.method(kind, name)
        self._checks.described(kind, name, scope)
        if kind.role == "instance" and (member is None or member.kind != "property"):
            held = scope.object_of(kind).fields.get(name)
            if held is not None:
                return held
        found = self._new.shared(builder, kind, name)
        if found is not None:
            self._check_bound(kind, name, found, called=called)
            return found
        if member is not None:
            return bound_text(kind, member) if member.kind in ("method", "static", "class") else None
        if name == "__class__":
            return kind.owner if kind.role == "instance" else None
        if name in ("__name__", "__qualname__") and kind.role == "class":
            return repr(kind.owner)
        if name == "__mro__" and kind.role == "class":
            return lookup_order(self._classes, kind.owner)
        if self._classes[kind.owner].exception:
            return tuple_text(scope.object_of(kind).items) if name == "args" and kind.role == "instance" else None
        if name in _PLAIN_OBJECT or hasattr(type, name) or hasattr(base_type(self._classes[kind.owner]), name):
            return None
        self._checks.fallback(kind, name, scope)
        raise Raised(missing_text(kind, name))

    def _check_bound(self, kind: ObjectKind, name: str, text: str, *, called: bool) -> None:
        """Raise Unsupported where an object makes a method of a function that its class holds under a name.

        A line that calls another method under that name, `run = Base.go` in the class statement, can be asked about.
        """
        if kind.role == "class" or kind.is_class or not self._variables.is_function(text):
            return
        if not (called and "." in text and "(" not in text and not self._variables.is_stored(name)):
            raise Unsupported(f"{kind.owner}.{name}, a function that a class was given and an object makes a method of")

    def _store(
        self,
        builder: FrameBuilder,
        target: ast.Attribute,
        value: ast.expr | None,
        scope: TextScope,
        *,
        private: bool = True,
    ) -> bool:
        """Set an attribute, or delete it where there is no value."""
        kind = scope.kind(target.value)
        if kind is None or kind.role not in ("instance", "class") or self._classes[kind.owner].odd:
            return False
        name = scope.private(target.attr) if private else target.attr
        text = None if value is None else self._variables.atom(builder, value)
        if kind.role == "class":
            return self._store_shared(builder, kind, name, text)
        if label_of(kind.text) is None:
            return False  # an exception without fields
        facts = self._classes[kind.owner].dataclass
        if facts is not None and facts.frozen:
            does = "delete" if text is None else "assign to"
            raise Raised(f"{_FROZEN}({f'cannot {does} field {name!r}'!r})")
        member = self._classes.find(kind.owner, name)
        if member is not None and member.kind == "property":
            does = "deleter" if text is None else "setter"
            raise Raised(f"AttributeError({f'property {name!r} of {kind.owner!r} object has no {does}'!r})")
        self._checks.stored(kind, name, scope, deleted=text is None)
        held = scope.object_of(kind)
        if text is None and name not in held.fields:
            raise Raised(f"AttributeError({f'{kind.owner!r} object has no attribute {name!r}'!r})")
        changed = held.without_field(name) if text is None else held.with_field(name, text)
        self._hashed.check(kind.owner, name, int(kind.text[1:]), builder.heap)
        builder.heap[int(kind.text[1:])] = str(changed)
        return True

    def _store_shared(self, builder: FrameBuilder, kind: ObjectKind, name: str, text: str | None) -> bool:
        place = f"{kind.owner}.{name}"
        member = self._classes[kind.owner].members.get(name)
        if (member is not None and member.kind != "data") or name.startswith("__"):
            raise Unsupported(f"{place}, which a line replaces in the class")
        if text is not None:
            builder.globals[place] = text
            return True
        if place not in builder.globals:
            raise Raised(f"AttributeError({f'type object {kind.owner!r} has no attribute {name!r}'!r})")
        del builder.globals[place]
        return True

    # -- builtins about classes

    def _super(self, builder: FrameBuilder, scope: TextScope) -> str | None:
        around = scope.around()
        code_first = self._variables.first_parameter(builder)
        if around is None or code_first is None:
            return None
        return f"super({around}, {self._variables.read(builder, code_first)})"

    def _inherited(
        self, builder: FrameBuilder, owner: ast.Name, attr: str, call: ast.Call, scope: TextScope
    ) -> str | None:
        """`super().__init__(...)` where no class of the program is left that has one."""
        kind = scope.kind(owner)
        if kind is None or kind.role != "super" or kind.is_class or attr != "__init__":
            return None
        if self._calls.method(kind, attr) is not None or self._classes[kind.owner].odd:
            return None
        label = int(kind.text[1:])
        if self._classes[kind.owner].container:
            emptied = self._classes[kind.owner].container == "list" and not scope.content(label).startswith(
                f"{kind.owner}([]"
            )
            return None if emptied or call.args or call.keywords else "None"
        if self._classes[kind.owner].exception:
            if call.keywords:
                raise Raised(f"TypeError({f'{kind.owner}() takes no keyword arguments'!r})")
            items = self._new.positional(builder, call)
            builder.heap[label] = str(ObjectText.of(scope.content(label)).with_items(items))
            return "None"
        return None if call.args or call.keywords else "None"

    def _builtin(self, builder: FrameBuilder, name: str, call: ast.Call, scope: TextScope) -> str | None:
        """Builtins that ask about classes and attributes of the program's objects."""
        match name, call.args:
            case "isinstance", [subject, ast.Name() as wanted]:
                return self._membership.is_a(builder, subject, wanted, scope)
            case "issubclass", [ast.Name() as subject, ast.Name() as wanted]:
                return self._membership.is_below(builder, subject, wanted, scope)
            case "type", [subject]:
                kind = scope.kind(subject)
                return kind.owner if kind is not None and kind.role == "instance" else None
            case "callable", [subject]:
                return self._membership.is_callable(scope.kind(subject))
            case "hasattr" | "getattr", [subject, asked, *rest]:
                return self._asked(builder, name, (subject, asked, *rest), scope)
            case "setattr", [subject, asked, value]:
                return self._set(builder, subject, asked, value, scope=scope)
            case "id", [subject]:
                raise_for = scope.kind(subject)
                if raise_for is not None:
                    raise Unsupported("an object's id")
        return None

    def _asked(self, builder: FrameBuilder, name: str, parts: tuple[ast.expr, ...], scope: TextScope) -> str | None:
        """`hasattr` and `getattr` on an object of the program."""
        kind, asked = scope.kind(parts[0]), self._variables.atom(builder, parts[1])
        if kind is None or kind.role not in ("instance", "class") or not asked.startswith(("'", '"')):
            return None
        attr = ast.literal_eval(asked)
        member = self._calls.method(kind, attr)
        if member is not None and member.kind == "described":
            raise Unsupported(f"{kind.owner}.{attr}, which a descriptor gives to a line that does more than ask for it")
        if self._classes[kind.owner].odd or (member is not None and member.kind not in _READABLE):
            return None
        try:
            found = self.attribute(builder, kind, attr, scope)
        except Raised:
            if name == "hasattr":
                return "False"
            if len(parts) < 3:
                raise
            return self._variables.atom(builder, parts[2])
        return None if found is None else found if name == "getattr" else "True"

    def _set(
        self, builder: FrameBuilder, subject: ast.expr, asked: ast.expr, value: ast.expr, *, scope: TextScope
    ) -> str | None:
        """`setattr` on an object of the program, where it calls no setter."""
        kind, text = scope.kind(subject), self._variables.atom(builder, asked)
        if kind is None or kind.role != "instance" or not text.startswith(("'", '"')):
            return None
        name = ast.literal_eval(text)
        member = self._classes.find(kind.owner, name)
        if self._classes.find(kind.owner, "__setattr__") is not None:
            raise Unsupported(f"setattr of an object whose class {kind.owner} has __setattr__")
        if member is not None and member.kind == "property":
            return None
        target = ast.Attribute(subject, name, ast.Store())
        return "None" if self._store(builder, target, value, scope, private=False) else None

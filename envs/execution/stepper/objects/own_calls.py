"""Which functions of the program a line runs through its objects: constructors, methods, properties, operators.

Python finds these on the class, so rules find them in the class table (`syntax/classes/own_classes.py`). The stepper
asks about values as text and the tracer about live values; both get the same answer, so a call that one shows as a step
is a step for the other. What C code calls on behalf of a line (`==` of two lists, a sort) is none of it. Knows no
frame.
"""

import ast
from collections.abc import Iterable
from dataclasses import replace

from envs.execution.stepper.objects.attribute_calls import AttributeCalls
from envs.execution.stepper.objects.object_kinds import NEW, Attempt, Ending, ObjectKind, ObjectScope
from envs.execution.syntax.classes.class_hashing import is_unhashable
from envs.execution.syntax.classes.own_classes import Member, OwnClasses
from envs.execution.syntax.classes.value_bases import VALUE_BASES

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
    ast.Eq: ("__eq__", "__eq__"),
    ast.NotEq: ("__ne__", "__ne__"),
}
BUILTIN_CALLS: dict[str, tuple[str, ...]] = {
    "len": ("__len__",),
    "str": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "format": ("__format__", "__str__", "__repr__"),
    "iter": ("__iter__",),
    "next": ("__next__",),
    "abs": ("__abs__",),
    "hash": ("__hash__",),
    "int": ("__int__",),
    "float": ("__float__",),
    "round": ("__round__",),
    "reversed": ("__reversed__",),
}
"""Builtins that do nothing but call a method of their argument: the first of these that its class has."""
TWO_SIDED = frozenset({"divmod", "pow"})
"""Builtins that ask their two arguments as an operator does."""


class OwnCalls:
    """The calls of one program's lines."""

    def __init__(self, classes: OwnClasses) -> None:
        self.classes = classes
        self.attributes = AttributeCalls(classes)

    def attempts(self, node: ast.AST, scope: ObjectScope) -> list[Attempt]:
        """The functions that a line runs through its objects, in the order in which Python tries them."""
        match node:
            case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
                return self._expression(value, scope)
            case ast.Assign(targets=[ast.Attribute() as target], value=value):
                return self.attributes.stored(target, value, scope)
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                return self._item("__setitem__", target, (value,), scope)
            case ast.Delete(targets=[ast.Subscript() as target]):
                return self._item("__delitem__", target, (), scope)
            case ast.Delete(targets=[ast.Attribute() as target]):
                return self.attributes.deleted(target, scope)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                return self._augmented(ast.Name(name, ast.Load()), op, value, scope)
            case ast.If(test=test) | ast.While(test=test):
                return self._truth(test, scope, "true")
            case ast.For(iter=ast.Name() as iterator):
                if (indexed := self._indexed(iterator, scope)) is not None:
                    return [indexed]
                return [replace(each, ending="item") for each in self._special(iterator, "__next__", scope)]
        return []

    def _indexed(self, iterator: ast.expr, scope: ObjectScope) -> Attempt | None:
        """The `__getitem__` that a loop calls for its next item, where the object has no `__iter__`."""
        kind = scope.kind(iterator)
        if kind is None or kind.role != "turns" or self.classes[kind.owner].odd or self.classes[kind.owner].container:
            return None
        member = self.classes.find(kind.owner, "__getitem__")
        if member is None or member.kind != "method" or member.key is None:
            return None
        return Attempt(member.key, kind.text, (ast.Constant(int(kind.name)),), ending="item")

    def method(self, kind: ObjectKind, name: str) -> Member | None:
        """The member that looking a name up gives, fields of an object left aside."""
        return self.classes.find(kind.owner, name, kind.after)

    def _expression(self, node: ast.expr, scope: ObjectScope) -> list[Attempt]:
        match node:
            case ast.Call(func=ast.Name() as func):
                return self._named(node, func, scope)
            case ast.Call(func=ast.Attribute() as func):
                kind = self._known(func.value, scope)
                return [] if kind is None else self._called(kind, scope.private(func.attr), node, scope)
            case ast.Attribute():
                return self.attributes.asked(node, scope)
            case ast.Subscript():
                return self._item("__getitem__", node, (), scope)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(left, right, _BINARY[type(op)], scope)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._truth(operand, scope, "false")
            case ast.UnaryOp(op=op, operand=operand):
                return self._special(operand, _UNARY[type(op)], scope)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(left, op, right, scope)
        return []

    def _known(self, node: ast.expr, scope: ObjectScope) -> ObjectKind | None:
        kind = scope.kind(node) if isinstance(node, ast.Name) else None
        return None if kind is None or kind.role == "turns" or self.classes[kind.owner].odd else kind

    def _instance(self, node: ast.expr, scope: ObjectScope) -> ObjectKind | None:
        kind = self._known(node, scope)
        return kind if kind is not None and kind.role == "instance" else None

    def _special(
        self, node: ast.expr, name: str, scope: ObjectScope, operands: Iterable[ast.expr] = ()
    ) -> list[Attempt]:
        """The method that an operator calls: found on the class, whatever the object's fields are called."""
        kind = self._instance(node, scope)
        member = None if kind is None else self.classes.find(kind.owner, name)
        if kind is None or member is None or member.kind != "method" or member.key is None:
            return []
        return [Attempt(member.key, kind.text, tuple(operands))]

    # -- calls

    def _named(self, call: ast.Call, func: ast.Name, scope: ObjectScope) -> list[Attempt]:
        kind = self._known(func, scope)
        if kind is None:
            return self._builtin(call, func.id, scope) if scope.is_builtin(func.id) else []
        if kind.role == "class":
            return self._constructed(kind.owner, call)
        if kind.role == "bound":
            return self._called(kind, kind.name, call, scope)
        if kind.role == "instance":
            return [replace(each, call=call) for each in self._special(func, "__call__", scope)]
        return []

    def _constructed(self, owner: str, call: ast.Call) -> list[Attempt]:
        first = self.classes.find(owner, "__init__")
        if first is None or self.classes.is_abstract(owner):
            return []
        if first.kind == "generated":
            after = self.classes.find(owner, "__post_init__")
            if not after or not after.key or after.kind != "method":
                return []
            facts = self.classes[first.owner].dataclass
            only = [each.name for each in facts.only_given] if facts else []
            operands = tuple(facts.argument(name, call) for name in only) if facts and not _is_starred(call) else ()
            return [Attempt(after.key, NEW, operands, ending="made")]
        if first.kind != "method" or first.key is None:
            return []
        return [Attempt(first.key, NEW, call=call, ending="made")]

    def _called(self, kind: ObjectKind, name: str, call: ast.Call, scope: ObjectScope) -> list[Attempt]:
        member = self.method(kind, name)
        if member is None or member.key is None:
            return []
        if kind.role == "instance" and scope.has_field(kind, name):
            return []
        if member.kind == "static":
            return [Attempt(member.key, None, call=call)]
        of_class = kind.role == "class" or kind.is_class
        if member.kind == "class":
            return [Attempt(member.key, kind.owner if kind.text else "", call=call)]
        if member.kind == "method":
            return [Attempt(member.key, None if of_class else kind.text, call=call)]
        return []

    def _builtin(self, call: ast.Call, name: str, scope: ObjectScope) -> list[Attempt]:
        if not call.args or call.keywords or isinstance(call.args[0], ast.Starred):
            return []
        subject, rest = call.args[0], call.args[1:]
        if name in TWO_SIDED and len(rest) == 1:
            return self._binary(subject, rest[0], name, scope)
        if name == "bool" and not rest:
            return self._truth(subject, scope, "true")
        if name not in BUILTIN_CALLS or (rest and name not in ("format", "round", "next")):
            return []
        for method in BUILTIN_CALLS[name]:
            kind = self._instance(subject, scope)
            if kind is None:
                return []
            member = self.classes.find(kind.owner, method)
            if method == "__hash__" and is_unhashable(self.classes, kind.owner):
                return []
            if method == "__repr__" and name != "repr" and self.classes[kind.owner].exception:
                return []  # which has a `__str__`
            if member is not None:
                wanted = () if name == "next" or method in ("__str__", "__repr__") else tuple(rest)
                if method == "__format__" and not wanted:
                    wanted = (ast.Constant(""),)
                if name == "format" and method != "__format__" and rest and not _is_empty(rest[0]):
                    return []
                return self._special(subject, method, scope, wanted)
        return []

    # -- operators

    def _truth(self, node: ast.expr, scope: ObjectScope, ending: Ending) -> list[Attempt]:
        while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node, ending = node.operand, "false" if ending == "true" else "true"
        kind = self._instance(node, scope)
        if kind is None:
            return []
        name = "__bool__" if self.classes.find(kind.owner, "__bool__") else "__len__"
        return [replace(each, ending=ending) for each in self._special(node, name, scope)]

    def _item(self, name: str, node: ast.Subscript, more: tuple[ast.expr, ...], scope: ObjectScope) -> list[Attempt]:
        found = self._special(node.value, name, scope, (node.slice, *more))
        return found if name == "__getitem__" else [replace(each, ending="nothing") for each in found]

    def _binary(self, left: ast.expr, right: ast.expr, name: str, scope: ObjectScope) -> list[Attempt]:
        mine, other = self._instance(left, scope), self._instance(right, scope)
        if mine is None and other is not None and name == "mod" and not _is_number(left):
            return []  # `'%s' % p` formats
        if self._is_left_to_base(mine, other, f"__{name}__"):
            return []
        first = self._special(left, f"__{name}__", scope, (right,))
        same = mine is not None and other is not None and mine.owner == other.owner
        second = [] if same else self._special(right, f"__r{name}__", scope, (left,))
        if first and second and self._overrides(mine, other, f"__r{name}__"):
            return [*second, *first]
        return [*first, *second]

    def _augmented(self, target: ast.Name, op: ast.operator, value: ast.expr, scope: ObjectScope) -> list[Attempt]:
        name = _BINARY[type(op)]
        return [*self._special(target, f"__i{name}__", scope, (value,)), *self._binary(target, value, name, scope)]

    def _is_left_to_base(self, mine: ObjectKind | None, other: ObjectKind | None, name: str) -> bool:
        """Whether the class below that of an operand answers first, as `int` does for `2.5 + Money(1)` or `a > b`."""
        below = [None if kind is None else self.classes[kind.owner].container for kind in (mine, other)]
        if mine is None:
            return below[1] in VALUE_BASES
        unwritten = bool(below[0]) and self.classes.find(mine.owner, name) is None
        return unwritten and bool(below[0] in VALUE_BASES or below[1])

    def _overrides(self, mine: ObjectKind | None, other: ObjectKind | None, name: str) -> bool:
        """Whether the right operand is asked first: it derives from the left one's class and has its own method."""
        if mine is None or other is None or not self.classes.is_subclass(other.owner, mine.owner):
            return False
        return self.classes.find(mine.owner, name) != self.classes.find(other.owner, name)

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, scope: ObjectScope) -> list[Attempt]:
        if isinstance(op, ast.In | ast.NotIn):
            ending: Ending = "true" if isinstance(op, ast.In) else "false"
            return [replace(each, ending=ending) for each in self._special(right, "__contains__", scope, (left,))]
        if isinstance(op, ast.Is | ast.IsNot):
            return []
        mine, other = self._instance(left, scope), self._instance(right, scope)
        name, swapped = _COMPARED[type(op)]
        if any(kind is not None and self._is_generated(kind, name) for kind in (mine, other)):
            return []
        if self._is_left_to_base(mine, other, name):
            return []
        first, second = self._comparison(left, name, right, scope), self._comparison(right, swapped, left, scope)
        derived = mine is not None and other is not None and mine.owner != other.owner
        if derived and mine is not None and other is not None and self.classes.is_subclass(other.owner, mine.owner):
            return [*second, *first]
        return [*first, *second]

    def _comparison(self, left: ast.expr, name: str, right: ast.expr, scope: ObjectScope) -> list[Attempt]:
        kind = self._instance(left, scope)
        inherits = kind is not None and bool(self.classes[kind.owner].container)  # lists and dicts have a `__ne__`
        if kind is None or name != "__ne__" or inherits or self.classes.find(kind.owner, "__ne__"):
            return self._special(left, name, scope, (right,))
        return [replace(each, ending="false") for each in self._special(left, "__eq__", scope, (right,))]

    def _is_generated(self, kind: ObjectKind, name: str) -> bool:
        member = self.classes.find(kind.owner, "__eq__" if name == "__ne__" else name)
        return member is not None and member.kind == "generated"


def _is_starred(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in call.args) or any(word.arg is None for word in call.keywords)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == ""

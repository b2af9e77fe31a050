"""Guesses of the types that names and expressions may have, from how the program makes and uses them.

An empty set of types means that nothing is known. The guesses only avoid edits that make no sense, such as the length
of a number. Knows the syntax tree and no source text.
"""

from __future__ import annotations

import ast
from collections import defaultdict

from envs.editing.variable_scopes import Function

TypeName = str
"""One of number, bool, text (str and bytes), list, dict, set, tuple and none."""
SIZED = frozenset({"text", "list", "dict", "set", "tuple"})
ORDERED = frozenset({"text", "list", "tuple"})
NUMBERS = frozenset({"number", "bool"})

ARGUMENT_TYPES: dict[str, frozenset[TypeName]] = {
    "len": SIZED,
    "sum": frozenset({"list", "tuple", "set"}),
    "sorted": SIZED,
    "reversed": ORDERED,
    "abs": NUMBERS,
    "int": NUMBERS | {"text"},
    "str": NUMBERS,
    "list": SIZED,
    "set": SIZED - {"dict"},
    "max": frozenset({"list", "tuple", "set"}),
    "min": frozenset({"list", "tuple", "set"}),
}
"""The types that programs usually pass to each builtin as its only argument."""
NEUTRAL_VALUES: dict[TypeName, tuple[str, ...]] = {
    "number": ("0", "1"),
    "text": ('""',),
    "list": ("[]",),
    "dict": ("{}",),
    "bool": ("True", "False"),
}
"""Source text of the usual initial values and default results of each type."""

_RESULT_TYPES: dict[str, str] = {
    **dict.fromkeys(("len", "int", "float", "abs", "sum", "round", "ord", "count", "find", "index"), "number"),
    **dict.fromkeys(("rfind", "rindex", "pow", "floor", "ceil", "sqrt", "bit_count"), "number"),
    **dict.fromkeys(("str", "chr", "join", "lower", "upper", "strip", "lstrip", "rstrip", "replace"), "text"),
    **dict.fromkeys(("title", "capitalize", "swapcase", "format", "bin", "hex", "repr", "zfill"), "text"),
    **dict.fromkeys(("list", "sorted", "split", "splitlines", "range", "keys", "values", "items"), "list"),
    **dict.fromkeys(("dict", "Counter", "defaultdict", "fromkeys"), "dict"),
    **dict.fromkeys(("set", "frozenset", "union", "intersection", "difference"), "set"),
    **dict.fromkeys(("isinstance", "any", "all", "startswith", "endswith", "bool", "isdigit", "isalpha"), "bool"),
    **dict.fromkeys(("isupper", "islower", "isalnum", "isspace"), "bool"),
    **dict.fromkeys(("tuple", "divmod", "partition"), "tuple"),
}
_OWNER_TYPES: dict[str, str] = {
    **dict.fromkeys(("append", "extend", "insert", "sort", "reverse"), "list"),
    **dict.fromkeys(("lower", "upper", "strip", "split", "startswith", "endswith", "isdigit", "isalpha"), "text"),
    **dict.fromkeys(("join", "replace", "isupper", "islower", "find", "swapcase", "title", "lstrip"), "text"),
    **dict.fromkeys(("keys", "values", "items", "setdefault"), "dict"),
    **dict.fromkeys(("add", "discard"), "set"),
}
_ANNOTATION_TYPES: dict[str, str] = {
    "int": "number",
    "float": "number",
    "str": "text",
    "List": "list",
    "Dict": "dict",
} | {name: name for name in ("bool", "list", "dict", "set", "tuple")}
_ARITHMETIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)


class GuessedTypes:
    """The guessed types of the names and expressions of one module."""

    def __init__(self, tree: ast.Module) -> None:
        self._names: dict[str, set[TypeName]] = defaultdict(set)
        """Types of each name. Equal names of different functions share one entry: they mostly mean the same. An
        attribute's name begins with a dot."""
        for _ in range(2):  # the second pass uses the types that the first one found
            for node in ast.walk(tree):
                self._learn(node)

    def of(self, node: ast.expr) -> frozenset[TypeName]:
        """The types that an expression may have; empty if nothing is known."""
        match node:
            case ast.Constant(value=value):
                return frozenset({_of_value(value)})
            case ast.Name() | ast.Attribute():
                return self.of_name(_key(node) or "")
            case ast.JoinedStr():
                return frozenset({"text"})
            case ast.List() | ast.ListComp():
                return frozenset({"list"})
            case ast.Dict() | ast.DictComp():
                return frozenset({"dict"})
            case ast.Set() | ast.SetComp():
                return frozenset({"set"})
            case ast.Tuple():
                return frozenset({"tuple"})
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return frozenset({"bool"})
            case ast.UnaryOp():
                return frozenset({"number"})
            case ast.BinOp(left=left, op=op, right=right):
                return self._of_operation(left, op, right)
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                return frozenset({_RESULT_TYPES[name]}) if name in _RESULT_TYPES else frozenset()
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self.of(value)
            case ast.Subscript(value=value) if self.of(value) == {"text"}:
                return frozenset({"text"})
            case ast.IfExp(body=body, orelse=orelse):
                return self.of(body) | self.of(orelse) if self.of(body) and self.of(orelse) else frozenset()
        return frozenset()

    def of_name(self, name: str) -> frozenset[TypeName]:
        """The types that a variable or an attribute such as `self.size` may have; empty if nothing is known."""
        return frozenset(self._names.get(_last_part(name), ()))

    def may_be(self, node: ast.expr, types: frozenset[TypeName]) -> bool:
        """Whether an expression may have one of these types; True if nothing is known."""
        known = self.of(node)
        return not known or bool(known & types)

    def name_may_be(self, name: str, types: frozenset[TypeName]) -> bool:
        """Whether a variable may have one of these types; True if nothing is known."""
        known = self.of_name(name)
        return not known or bool(known & types)

    def compatible(self, node: ast.expr, name: str) -> bool:
        """Whether a variable may replace an expression, by its type."""
        known = self.of(node)
        return not known or self.name_may_be(name, known | (NUMBERS if known & NUMBERS else frozenset()))

    def _of_operation(self, left: ast.expr, op: ast.operator, right: ast.expr) -> frozenset[TypeName]:
        if isinstance(op, _ARITHMETIC) and not self.of(left) & {"set"}:
            return frozenset({"number"})
        if isinstance(op, ast.Mod):
            return self.of(left) & {"text"} or frozenset({"number"})
        known = (self.of(left) | self.of(right)) - {"bool"}
        sized = known - {"number"}
        return sized if len(sized) == 1 else known if self.of(left) and self.of(right) else frozenset()

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                self._add(target, self.of(value) - {"none"})
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    self._add(target, self.of(value) - {"none"})
            case ast.AugAssign(target=target, op=op, value=value):
                self._add(target, frozenset({"number"}) if isinstance(op, _ARITHMETIC) else self.of(value) - {"none"})
            case ast.ClassDef(body=body):
                self._learn_fields(body)
            case ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source):
                self._learn_items(target, source)
            case ast.Attribute(value=owner, attr=method) if method in _OWNER_TYPES:
                self._add(owner, frozenset({_OWNER_TYPES[method]}))
            case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
                for bound in (lower, upper):
                    if bound is not None:
                        self._add(bound, frozenset({"number"}))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._learn_annotations(node)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
                for side in (left, right):
                    if not self.of(side) & {"set"}:
                        self._add(side, frozenset({"number"}))

    def _add(self, node: ast.expr, types: frozenset[TypeName]) -> None:
        """Notes types of a variable or an attribute."""
        if types and (key := _key(node)) is not None:
            self._names[key] |= types

    def _learn_fields(self, body: list[ast.stmt]) -> None:
        """Notes the types of class attributes and of a dataclass's fields."""
        for statement in body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._names[f".{name}"] |= self.of(value) - {"none"}
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    self._names[f".{name}"] |= _of_annotation(annotation)

    def _learn_items(self, target: ast.expr, source: ast.expr) -> None:
        match source:
            case ast.Call(func=ast.Name(id="range")):
                items: frozenset[TypeName] = frozenset({"number"})
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                if isinstance(target, ast.Tuple) and len(target.elts) == 2:
                    self._learn_items(target.elts[0], ast.Call(ast.Name("range", ast.Load()), [], []))
                    self._learn_items(target.elts[1], inner)
                return
            case _:
                items = self.of(source) & {"text"}
        if isinstance(target, ast.Name):
            self._names[target.id] |= items

    def _learn_annotations(self, node: Function) -> None:
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            self._names[each.arg] |= _of_annotation(each.annotation)


def _of_annotation(annotation: ast.expr | None) -> frozenset[TypeName]:
    match annotation:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name in _ANNOTATION_TYPES:
            return frozenset({_ANNOTATION_TYPES[name]})
    return frozenset()


def _key(node: ast.expr) -> str | None:
    """Under which name the types of a variable or an attribute are kept; None for any other expression."""
    return node.id if isinstance(node, ast.Name) else f".{node.attr}" if isinstance(node, ast.Attribute) else None


def _last_part(name: str) -> str:
    """The key of a variable or of an attribute that is written with its owner."""
    return name[name.rindex(".") :] if "." in name else name


def _of_value(value: object) -> TypeName:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float | complex):
        return "number"
    return "text"

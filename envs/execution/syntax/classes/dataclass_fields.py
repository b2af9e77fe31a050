"""What `@dataclass` makes of a class, read from its syntax: fields in order, defaults, which methods are generated.

Only what a rule needs to build an object from its arguments; nothing is run.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

_EMPTY = {
    "list": "[]",
    "dict": "{}",
    "set": "set()",
    "str": "''",
    "int": "0",
    "tuple": "()",
    "float": "0.0",
    "bool": "False",
    "frozenset": "frozenset()",
    "Counter": "Counter({})",
    "deque": "deque([])",
    "OrderedDict": "OrderedDict({})",
}
"""What factories of Python and of `collections` make of nothing."""
_OPTIONS = frozenset({"init", "repr", "eq", "order", "frozen", "unsafe_hash", "kw_only"})


@dataclass(frozen=True, slots=True)
class DataclassField:
    """One field: its name and how it gets its value where no argument gives it."""

    name: str
    default: str | None = None
    """The default's text: a literal, or the empty container of a builtin factory."""
    hidden: bool = False
    """Whether only running the program tells the default."""
    shared: bool = False
    """Whether a hidden default is one value for all objects, which the class holds under the field's name."""
    maker: str = ""
    """The name of the function or class that makes a hidden default."""
    init: bool = True
    """Whether the constructor takes it."""
    made: bool = False
    """Whether a factory makes its default."""
    call: ast.Call | None = None
    """The call, of constants, by which a factory makes a hidden default."""
    compare: bool = True
    """Whether equality, order and hash of the objects look at it."""
    only_given: bool = False
    """Whether it is an InitVar: no field, but an argument of `__post_init__`."""

    @property
    def optional(self) -> bool:
        return self.default is not None or self.hidden


@dataclass(frozen=True, slots=True)
class DataclassFacts:
    """The options and fields of one dataclass."""

    fields: tuple[DataclassField, ...]
    init: bool = True
    repr: bool = True
    eq: bool = True
    order: bool = False
    frozen: bool = False
    kw_only: bool = False
    """Whether the constructor takes its fields by name alone."""
    unsafe_hash: bool = False
    """Whether it hashes objects that can change."""
    odd: str | None = None
    """Why a rule does not know how its objects are made."""

    @property
    def only_given(self) -> tuple[DataclassField, ...]:
        """What the constructor takes for `__post_init__` alone."""
        return tuple(each for each in self.fields if each.only_given)

    def argument(self, name: str, call: ast.Call) -> ast.expr:
        """What a call of the constructor gives for a parameter, or its default; for calls without stars."""
        names = [each.name for each in self.fields if each.init]
        given = {word.arg: word.value for word in call.keywords}
        if not self.kw_only:
            given |= dict(zip(names, call.args, strict=False))
        default = next(each.default for each in self.fields if each.name == name)
        return given.get(name) or ast.parse(default or "None", mode="eval").body

    def inheriting(self, above: Sequence["DataclassFacts"]) -> "DataclassFacts":
        """The facts with the fields of the dataclasses that it derives from, the most basic first."""
        fields = {each.name: each for facts in (*above, self) for each in facts.fields}
        odd = self.odd or next((facts.odd for facts in above if facts.odd), None)
        if any(facts.kw_only != self.kw_only and facts.fields for facts in above):
            odd = odd or "a dataclass whose fields are given partly by name alone"
        return replace(self, fields=tuple(fields.values()), odd=odd)


def dataclass_facts(node: ast.ClassDef) -> tuple[DataclassFacts | None, list[ast.expr]]:
    """The facts of a dataclass, None for any other class; and the decorators that are no `dataclass`."""
    others = [each for each in node.decorator_list if _name(each) != "dataclass"]
    mine = [each for each in node.decorator_list if _name(each) == "dataclass"]
    if not mine:
        return None, others
    options, odd = _options(mine[0])
    fields: dict[str, DataclassField] = {}
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        kind = _name(statement.annotation)
        if kind == "ClassVar":
            continue
        found = _field(statement.target.id, statement.value)
        if kind == "InitVar" and found is not None and not found.hidden:
            found = replace(found, only_given=True)
        elif kind in ("InitVar", "KW_ONLY") or found is None:
            odd = odd or f"a dataclass with the field {ast.unparse(statement)}"
            continue
        fields[found.name] = found
    return DataclassFacts(tuple(fields.values()), odd=odd, **options), others


def _options(decorator: ast.expr) -> tuple[dict[str, bool], str | None]:
    if not isinstance(decorator, ast.Call):
        return {}, None
    given: dict[str, bool] = {}
    for keyword in decorator.keywords:
        if keyword.arg not in _OPTIONS or not isinstance(keyword.value, ast.Constant):
            return {}, f"a dataclass with {ast.unparse(decorator)}"
        given[keyword.arg] = bool(keyword.value.value)
    return given, None


def _field(name: str, value: ast.expr | None) -> DataclassField | None:
    """A field; None where it is told in a way that no rule knows."""
    if value is None:
        return DataclassField(name)
    if not (isinstance(value, ast.Call) and _name(value) == "field"):
        text = _literal(value)
        return DataclassField(name, text, hidden=text is None, shared=text is None)
    made = DataclassField(name)
    for keyword in value.keywords:
        match keyword.arg, keyword.value:
            case "default", default:
                text = _literal(default)
                made = replace(made, default=text, hidden=text is None, shared=text is None)
            case "default_factory", ast.Name(id=factory):
                made = replace(
                    made, default=_EMPTY.get(factory), hidden=factory not in _EMPTY, maker=factory, made=True
                )
            case "default_factory", ast.Lambda(body=body) if (text := _made_text(body)) is not None:
                made = replace(made, default=text, made=True)
            case "default_factory", ast.Lambda(body=ast.Call(func=ast.Name(id=factory)) as call) if _is_plain(call):
                made = replace(made, hidden=True, maker=factory, made=True, call=call)
            case "default_factory", _:
                made = replace(made, hidden=True, made=True)
            case "init", ast.Constant(value=bool(wanted)):
                made = replace(made, init=wanted)
            case "compare", ast.Constant(value=bool(wanted)):
                made = replace(made, compare=wanted)
            case (("repr" | "hash"), _):
                pass
            case _:
                return None
    return made


def _is_plain(call: ast.Call) -> bool:
    """Whether a call gives nothing but numbers, strings and their like."""
    given = [*call.args, *(word.value for word in call.keywords)]
    return all(isinstance(each, ast.Constant) for each in given) and all(word.arg for word in call.keywords)


def _made_text(node: ast.expr) -> str | None:
    """What a factory's expression makes, where it only writes an empty container or plain constants."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return _EMPTY.get(name)
        case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Name(id=name)], keywords=[]) if name in _EMPTY:
            return f"defaultdict({name}, {{}})"
        case ast.Call(func=ast.Name(id="deque"), args=[], keywords=[ast.keyword("maxlen", ast.Constant(int(most)))]):
            return f"deque([], {most})"
        case ast.List(elts=parts) | ast.Set(elts=parts) if parts and not all(
            isinstance(x, ast.Constant) for x in parts
        ):
            return None
        case ast.List() | ast.Set() | ast.Dict():
            try:
                value = ast.literal_eval(node)
            except (ValueError, TypeError):
                return None
            plain = isinstance(value, list) or len(value) < 2 or isinstance(value, dict)
            flat = not isinstance(value, dict) or not any(isinstance(x, list | dict | set) for x in value.values())
            return repr(value) if plain and flat else None
    return _literal(node)


def _literal(node: ast.expr) -> str | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError, SyntaxError):
        return None
    return repr(value) if isinstance(value, int | float | str | bytes | tuple | bool | None) else None


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=inner) | ast.Call(func=inner):
            return _name(inner)
        case ast.Constant(value=str(words)):
            return words.partition("[")[0].rpartition(".")[2]
        case _:
            return ""

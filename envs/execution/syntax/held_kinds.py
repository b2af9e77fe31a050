"""What kinds of values each identifier of a program is ever given, as far as the text shows.

Variables, attributes and functions of one name count as one, wherever they stand, so the answer errs towards more
kinds; only a wrong annotation of a parameter hides one.
`certain_types.py` asks more strictly about one function. Knows only syntax.
"""

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence

from envs.execution.syntax.bindings import parameters

UNKNOWN = "?"
Kinds = Mapping[str, frozenset[str]]
_MADE = {
    **dict.fromkeys(("set", "frozenset"), "set"),
    **dict.fromkeys(("list", "sorted"), "list"),
    **dict.fromkeys("dict Counter defaultdict OrderedDict ChainMap".split(), "dict"),
    **dict.fromkeys("str repr chr format input".split(), "str"),
    **dict.fromkeys("int float len sum abs round ord bool Decimal Fraction".split(), "number"),
    **dict.fromkeys("tuple range enumerate zip map filter reversed deque".split(), "sequence"),
}
_BY_METHOD = {
    **dict.fromkeys(("keys", "items"), "set"),
    **dict.fromkeys(("union", "intersection", "difference", "symmetric_difference"), "set"),
    **dict.fromkeys("split rsplit splitlines findall readlines most_common".split(), "list"),
    **dict.fromkeys("strip lower upper join replace format".split(), "str"),
    **dict.fromkeys(("values",), "sequence"),
}
"""The kind of what methods give; views of dicts take part in operations of sets."""
_HINTS = _MADE | {"List": "list", "Dict": "dict", "Set": "set", "Deque": "sequence", "Tuple": "sequence"}


def held_kinds(nodes: Sequence[ast.AST]) -> Kinds:
    """For each identifier the kinds of what is assigned to it: `set`, `list`, `dict`, ...; `?` is any kind."""
    given: defaultdict[str, list[ast.expr | None]] = defaultdict(list)
    for node in nodes:
        for name, value in _given(node):
            given[name].append(value)
    kinds: dict[str, frozenset[str]] = dict.fromkeys(given, frozenset())
    while True:
        found = {
            name: frozenset(kind for value in values for kind in kinds_of(value, kinds))
            for name, values in given.items()
        }
        if found == kinds:
            return kinds
        kinds = found


def kinds_of(node: ast.expr | None, kinds: Kinds) -> frozenset[str]:
    """The kinds that an expression's value may have, by the kinds of the identifiers in it."""
    match node:
        case ast.Set() | ast.SetComp():
            return frozenset({"set"})
        case ast.List() | ast.ListComp():
            return frozenset({"list"})
        case ast.Dict() | ast.DictComp():
            return frozenset({"dict"})
        case ast.Tuple() | ast.GeneratorExp():
            return frozenset({"sequence"})
        case ast.JoinedStr() | ast.Constant(value=str()):
            return frozenset({"str"})
        case ast.Constant() | ast.Compare():
            return frozenset({"number"})
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return kinds.get(name, frozenset({UNKNOWN}))
        case ast.BinOp(left=left, right=right):
            return kinds_of(left, kinds) | kinds_of(right, kinds)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name not in kinds:
            return frozenset({_MADE.get(name) or _BY_METHOD.get(name) or UNKNOWN})
    return frozenset({UNKNOWN})


def _given(node: ast.AST) -> list[tuple[str, ast.expr | None]]:
    """What a node gives to identifiers; None for a value that the text does not show."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [pair for target in targets for pair in _assigned(target, value)]
        case ast.NamedExpr(target=target, value=value):
            return _assigned(target, value)
        case ast.AnnAssign(target=target, annotation=hint, value=value):
            return [*_assigned(target, _of_hint(hint)), *([] if value is None else _assigned(target, value))]
        case ast.For(target=target) | ast.comprehension(target=target):
            return _assigned(target, None)
        case ast.FunctionDef(name=name, args=args) | ast.AsyncFunctionDef(name=name, args=args):
            return [(name, None), *_parameters(args)]
        case ast.Lambda(args=args):
            return _parameters(args)
        case ast.withitem(optional_vars=ast.expr() as target):
            return _assigned(target, None)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [(name, None)]
    return []


def _parameters(arguments: ast.arguments) -> list[tuple[str, ast.expr | None]]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    hints = {each.arg: each.annotation for each in every}
    return [(name, _of_hint(hints.get(name))) for name in parameters(arguments)]


def _assigned(target: ast.expr, value: ast.expr | None) -> list[tuple[str, ast.expr | None]]:
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [(name, value)]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(parts)
            values = value.elts if same and isinstance(value, ast.Tuple | ast.List) else [None] * len(parts)
            return [pair for part, each in zip(parts, values, strict=True) for pair in _assigned(part, each)]
        case ast.Starred(value=inner):
            return _assigned(inner, None)
    return []


def _of_hint(hint: ast.expr | None) -> ast.expr | None:
    """A call that gives what an annotation says, where it names one kind."""
    plain = hint.value if isinstance(hint, ast.Subscript) else hint
    if isinstance(plain, ast.Name) and plain.id in _HINTS:
        return ast.Call(ast.Name(next(name for name, kind in _MADE.items() if kind == _HINTS[plain.id])), [], [])
    return None

"""Lines that only move objects about: they run no operator of the objects in them, whatever their classes define.

`xs.append(p)`, `p = xs[0]`, `[p, q]` and a loop's next item are such; `p in xs`, `xs == ys`, `sorted(xs)` are not. A
line that a model answers may hold objects of the program only if it is inert, or if their classes have no operators.
"""

import ast

from envs.execution.syntax.program_structure import nodes_of

_METHODS = frozenset(
    "append appendleft insert pop popleft clear reverse copy extend items keys values get setdefault popitem".split()
)
_FUNCTIONS = frozenset("len iter enumerate zip reversed list tuple range type isinstance next id defaultdict".split())
KEYS = frozenset({"__eq__", "__hash__"})
"""What handling an object as a key may run."""
_ORDER = frozenset({"__lt__", "__gt__", "__le__", "__ge__", "__eq__"})
_THROUGH = frozenset({"__iter__", "__next__", "__getitem__", "__len__", "__bool__"})
_COPYING = frozenset(f"__{name}__" for name in "copy deepcopy reduce reduce_ex getstate setstate getnewargs".split())
_WRITING = frozenset({"__str__", "__repr__", "__format__"})
_ORDERING = (
    "sorted max min heappush heappop heapify heapreplace heappushpop nsmallest nlargest bisect bisect_left "
    "bisect_right insort insort_left insort_right"
).split()
_OF_FUNCTIONS = {
    **dict.fromkeys(_ORDERING, _ORDER | _THROUGH),
    **dict.fromkeys("len list tuple any all".split(), _THROUGH),
    **dict.fromkeys("set frozenset dict Counter".split(), KEYS | _THROUGH),
    **dict.fromkeys("asdict astuple".split(), KEYS | {"__iter__"} | _COPYING),
    **dict.fromkeys("str repr format print".split(), _WRITING),
    "fields": frozenset(),
    "vars": frozenset(),
    "sum": frozenset({"__add__", "__radd__"}) | _THROUGH,
    **dict.fromkeys(("int", "float"), frozenset({"__int__", "__float__", "__index__", "__trunc__"})),
}
_OF_METHODS = {
    "sort": _ORDER,
    **dict.fromkeys("add discard get pop setdefault remove".split(), KEYS),
    **dict.fromkeys("update union intersection difference".split(), KEYS | _THROUGH),
    **dict.fromkeys("count index".split(), frozenset({"__eq__"})),
}
"""Special methods that builtins and methods of builtin types run of the objects they are given."""
_LOOKING = frozenset("iter len list tuple reversed isinstance type zip enumerate".split())
"""Functions that run nothing of what a list or a dict holds."""
_OPERATORS = (ast.Add, ast.Mult)
_NAMES = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv"}
"""Operators of which a set or a `Counter` asks its items no more than to be keys and to have an order."""
_WRITERS = frozenset("str repr ascii print format write pformat pprint dumps".split())
"""Functions that write a text of what they are given; that of a function shows its address."""


def is_inert(node: ast.AST) -> bool:
    """Whether running the statement calls no operator of an object that its values hold."""
    match node:
        case ast.For():
            return True
        case ast.Assign(targets=[ast.Subscript() as place], value=ast.Name() | ast.Constant()):
            return _is_place(place)
        case ast.Assign(targets=[ast.Name() | ast.Tuple() | ast.List()], value=value) | ast.Expr(value=value):
            return _moves(value)
        case ast.AugAssign(op=ast.Add()):
            return True
        case ast.Delete(targets=[ast.Subscript() as place]):
            return _is_place(place)
    return False


def moves_iterator(node: ast.AST) -> bool:
    """Whether a statement may ask an iterator among its values for items: it unpacks it, or gives it to a function."""
    match node:
        case ast.Assign(targets=[ast.Tuple() | ast.List()]):
            return True
        case ast.Assign(value=ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts)):
            return any(isinstance(each, ast.Starred) for each in parts)
        case ast.Assign(value=ast.Call(func=func)) | ast.Expr(value=ast.Call(func=func)):
            keeps = isinstance(func, ast.Attribute) and func.attr in ("append", "appendleft", "insert", "setdefault")
            return not keeps and not (isinstance(func, ast.Name) and func.id in ("type", "isinstance", "id"))
    return False


def asked_operators(node: ast.AST) -> frozenset[str] | None:
    """The special methods that a statement may run of the objects it handles; None where it may run any."""
    match node:
        case ast.Assign(targets=[ast.Subscript()]) | ast.Delete(targets=[ast.Subscript()]):
            return KEYS
    value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
    match value:
        case ast.Set() | ast.Dict() | ast.Subscript():
            return KEYS
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return KEYS | {"__contains__"} | _THROUGH
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()]):
            return frozenset({"__eq__", "__ne__"})
        case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            return _ORDER | {"__ne__"}
        case ast.JoinedStr():
            return _WRITING
        case ast.BinOp(op=op) if type(op) in _NAMES:
            return KEYS | _ORDER | {f"__{_NAMES[type(op)]}__", f"__r{_NAMES[type(op)]}__", "__index__", "__bool__"}
        case ast.Call(func=ast.Name(id=name)):
            return _OF_FUNCTIONS.get(name)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="heapq"))):
            return _ORDER | _THROUGH
        case ast.Call(func=ast.Attribute(attr=name)):
            return _OF_METHODS.get(name)
    return None


def hashes_nothing(node: ast.AST) -> bool:
    """Whether a statement surely asks no dict or set about a key."""
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Name(id=name))):
            return name in _LOOKING or name == "id"
    return isinstance(node, ast.For)


def only_moves(node: ast.AST) -> bool:
    """Whether a statement puts values into lists, dicts and tuples or takes them out, and goes through nothing else."""
    match node:
        case ast.Assign(targets=[ast.Subscript() as place], value=ast.Name() | ast.Constant()):
            return _is_place(place)
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            return _moves(value) and _goes_through_nothing(value)
        case ast.Assign(targets=[ast.Tuple()], value=ast.Tuple(elts=parts)):
            return not any(isinstance(each, ast.Starred) for each in parts)
        case ast.For():
            return True
    return unpacks_name(node)


def calls_no_held_function(node: ast.AST) -> bool:
    """Whether a line cannot call functions that containers among its values hold, and does not write them out.

    C code calls a function that it is given; one inside a list or a dict it only moves, unless a star spreads the list
    into arguments.
    """
    for part in nodes_of(node):
        match part:
            case ast.Starred() | ast.keyword(arg=None) | ast.JoinedStr() | ast.BinOp(op=ast.Mod()):
                return False
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _WRITERS:
                return False
    return isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Delete | ast.For)


def unpacks_name(node: ast.AST) -> bool:
    """Whether a statement only takes a variable's value apart."""
    match node:
        case ast.Assign(targets=[ast.Tuple() | ast.List()], value=ast.Name()):
            return True
    return False


def _goes_through_nothing(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return not any(isinstance(each, ast.Starred) for each in parts)
        case ast.Dict(keys=keys):
            return None not in keys
        case ast.Call(func=ast.Name(id=name)):
            return name in _LOOKING or _is_bare_default(node)
        case ast.Attribute(attr=name):
            return name == "default_factory"
        case ast.Call(func=ast.Attribute(attr=name)):
            return name != "extend"
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return True
    return isinstance(node, ast.Subscript)


def _is_bare_default(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Name()], keywords=[]):
            return True
    return False


def keys_of(node: ast.AST) -> frozenset[str]:
    """Names that an inert line may use as keys: what they hold is hashed, and compared with other keys."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Subscript(slice=ast.Name(id=name)):
                found.add(name)
            case ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault"), args=[ast.Name(id=name), *_]):
                found.add(name)
    return frozenset(found)


def looked_up(node: ast.AST) -> frozenset[str]:
    """Names that a line only uses as keys of dicts and items of sets: `d[k]`, `k in d`, `d.get(k)`, `{k: v}`."""
    found: list[ast.expr | None] = []
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=key)]) | ast.Delete(targets=[ast.Subscript(slice=key)]):
            found = [key]
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            match value:
                case ast.Subscript(slice=key) | ast.Compare(left=key, ops=[ast.In() | ast.NotIn()]):
                    found = [key]
                case ast.Dict(keys=keys):
                    found = keys
                case ast.Set(elts=items):
                    found = list(items)
                case ast.Call(func=ast.Attribute(attr=name), args=[key, *_]) if name in _LOOKUPS:
                    found = [key]
    return frozenset(each.id for each in found if isinstance(each, ast.Name))


_LOOKUPS = frozenset("get pop setdefault add discard remove".split())


def _is_place(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Name | ast.Constant | ast.UnaryOp | ast.Slice)


def _moves(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(isinstance(each, ast.Name | ast.Constant | ast.UnaryOp | ast.Starred) for each in parts)
        case ast.Name() | ast.Constant():
            return True
        case ast.Dict(keys=keys):
            return all(isinstance(each, ast.Constant) for each in keys)
        case ast.Subscript():
            return _is_place(node)
        case ast.Attribute():
            return True
        case ast.BinOp(op=op):
            return isinstance(op, _OPERATORS)
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return True
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return name in _FUNCTIONS
        case ast.Call(func=ast.Attribute(attr=name), keywords=[]):
            return name in _METHODS
    return False

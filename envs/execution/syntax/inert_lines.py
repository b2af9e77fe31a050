"""Lines that only move objects about: they run no operator of the objects in them, whatever their classes define.

`xs.append(p)`, `p = xs[0]`, `[p, q]` and a loop's next item are such; `p in xs`, `xs == ys`, `sorted(xs)` are not. A
line that a model answers may hold objects of the program only if it is inert, or if their classes have no operators.
"""

import ast

_METHODS = frozenset(
    "append appendleft insert pop popleft clear reverse copy extend items keys values get setdefault popitem".split()
)
_FUNCTIONS = frozenset("len iter enumerate zip reversed list tuple range type isinstance next id".split())
_TEXTLESS_FUNCTIONS = frozenset(
    "sorted max min sum len set dict frozenset list tuple any all heappush heappop heapify deque Counter".split()
)
_TEXTLESS_METHODS = frozenset("sort count add discard append extend update union intersection difference".split())
_OPERATORS = (ast.Add, ast.Mult)


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


def writes_no_text(node: ast.AST) -> bool:
    """Whether a statement asks no object for its text, though it may compare, add and hash what it handles."""
    value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
    match value:
        case ast.Compare() | ast.Subscript():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _TEXTLESS_FUNCTIONS
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            return name in _TEXTLESS_METHODS or (isinstance(owner, ast.Name) and owner.id == "heapq")
    return False


def only_moves(node: ast.AST) -> bool:
    """Whether a statement puts values into lists, dicts and tuples or takes them out, and goes through nothing else."""
    match node:
        case ast.Assign(targets=[ast.Subscript() as place], value=ast.Name() | ast.Constant()):
            return _is_place(place)
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            return _moves(value) and _goes_through_nothing(value)
        case ast.For():
            return True
    return False


def _goes_through_nothing(node: ast.expr) -> bool:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return not any(isinstance(each, ast.Starred) for each in parts)
        case ast.Dict(keys=keys):
            return None not in keys
        case ast.Call(func=ast.Name(id=name)):
            return name in ("iter", "len")
        case ast.Call(func=ast.Attribute(attr=name)):
            return name != "extend"
    return isinstance(node, ast.Subscript)


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

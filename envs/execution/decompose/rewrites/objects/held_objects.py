"""Which expressions of a program surely mean containers that hold objects of some classes, as far as its text shows.

    [Card(1), Card(2)]      {name: Card(n) for ...}     hand: list[Card]
    hand.append(card)       table[name] = Card(3)       self.cards = [...]

Names count in their function, or in the module; attributes and functions by their name in the whole program. Knows
only syntax, and the classes that it is asked about.
"""

import ast
from collections.abc import Collection, Iterator

from envs.execution.syntax.program_structure import nodes_of

_ADDING = frozenset({"append", "insert", "add", "appendleft"})
_KEEPING = frozenset({"list", "tuple", "sorted", "dict", "reversed"})
_CONTAINERS = frozenset("list List tuple Tuple dict Dict Sequence Mapping Iterable".split())
_ROUNDS = 3
"""How often facts are looked for again, since one may follow from another."""


class HeldObjects:
    """What one program's containers hold."""

    def __init__(self, tree: ast.Module, classes: Collection[str]) -> None:
        self._classes = frozenset(classes)
        self._objects: set[tuple[int, str]] = set()
        """Names of objects, by the function that they stand in: the line of its `def`, 0 for the module."""
        self._holders: set[tuple[int, str]] = set()
        self._attributes: set[str] = set()
        self._functions: set[str] = set()
        self._unknown: set[str] = set()
        """Attributes with containers into which something is put that may be any object."""
        self._called: dict[str, list[ast.FunctionDef]] = {}
        """The functions and methods of the program by name."""
        for node in nodes_of(tree):
            if isinstance(node, ast.FunctionDef):
                self._called.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef) and node.name in self._classes:
                methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and not each.decorator_list]
                self._objects |= {(each.lineno, each.args.args[0].arg) for each in methods if each.args.args}
        for _ in range(_ROUNDS):
            for place, node in _placed(tree):
                self._learn(place, node)
        for place, node in _placed(tree):
            self._doubt(place, node)

    def holds(self, node: ast.expr, place: int) -> bool:
        """Whether an expression in the function of that line is a container that holds such objects."""
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
                return any(each is not None and self._is_part(each, place) for each in items)
            case ast.ListComp(elt=item) | ast.DictComp(value=item):
                return self._is_part(item, place)
            case ast.Name(id=name):
                return (place, name) in self._holders or (0, name) in self._holders
            case ast.Attribute(attr=name):
                return name in self._attributes
            case ast.Call(func=ast.Name(id=name), args=args):
                return name in self._functions or (name in _KEEPING and any(self.holds(each, place) for each in args))
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in self._functions
            case ast.BinOp(left=left, right=right):
                return self.holds(left, place) or self.holds(right, place)
            case ast.Subscript(value=inner, slice=ast.Slice()):
                return self.holds(inner, place)
        return False

    def holds_anywhere(self, node: ast.expr) -> bool:
        """Whether an expression holds such objects in some function of the program."""
        return any(self.holds(node, place) for place in {0, *(place for place, _ in self._holders | self._objects)})

    def puts_unknown(self, attribute: str) -> bool:
        """Whether something that may be any object is put into containers of that attribute."""
        return attribute in self._unknown

    def is_object(self, node: ast.expr, place: int) -> bool:
        """Whether an expression is such an object."""
        match node:
            case ast.Call(func=ast.Name(id=name)):
                return name in self._classes
            case ast.Name(id=name):
                return (place, name) in self._objects
        return False

    def _is_part(self, node: ast.expr, place: int) -> bool:
        return self.is_object(node, place) or self.holds(node, place)

    def _learn(self, place: int, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
                values
            ):
                for target, value in zip(targets, values, strict=False):
                    self._bind(target, value, place)
            case ast.Assign(targets=[target], value=value):
                self._bind(target, value, place)
            case ast.AnnAssign(target=target, annotation=kind):
                self._annotate(target, kind, place)
            case ast.arg(arg=name, annotation=ast.expr() as kind):
                self._annotate(ast.Name(name), kind, place)
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args) if name in self._called:
                for function in self._called[name]:
                    self._pass(function, args, place)
            case ast.Call(func=ast.Attribute(value=holder, attr=attr), args=[*_, item]) if attr in _ADDING:
                if self._is_part(item, place):
                    self._hold(holder, place)
            case (
                ast.For(target=ast.Name(id=name), iter=source)
                | ast.comprehension(target=ast.Name(id=name), iter=source)
            ) if self.holds(source, place):
                self._objects.add((place, name))
            case ast.FunctionDef(name=name):
                if any(self.holds(value, node.lineno) for value in _returned(node)):
                    self._functions.add(name)

    def _pass(self, function: ast.FunctionDef, args: list[ast.expr], place: int) -> None:
        """Learn what the parameters of a function mean by a call of it; `self` is given by the object."""
        names = [each.arg for each in function.args.args]
        names = names[1:] if names[:1] == ["self"] else names
        for name, value in zip(names, args, strict=False):
            if self.is_object(value, place):
                self._objects.add((function.lineno, name))
            elif self.holds(value, place):
                self._holders.add((function.lineno, name))

    def _doubt(self, place: int, node: ast.AST) -> None:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr=attr), args=[*_, item]):
                doubtful = attr in _ADDING and self._may_be_any(item, place)
            case ast.Assign(targets=[ast.Subscript(value=ast.Attribute(attr=name))], value=item):
                doubtful = self._may_be_any(item, place)
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.List(elts=items) | ast.Tuple(elts=items)):
                doubtful = any(self._may_be_any(each, place) for each in items)
            case _:
                return
        if doubtful:
            self._unknown.add(name)

    def _may_be_any(self, node: ast.expr, place: int) -> bool:
        plain = isinstance(node, ast.Constant | ast.BinOp | ast.JoinedStr | ast.Compare)
        return not plain and not self._is_part(node, place)

    def _bind(self, target: ast.expr, value: ast.expr, place: int) -> None:
        if isinstance(target, ast.Subscript) and self._is_part(value, place):
            self._hold(target.value, place)
        elif self.holds(value, place):
            self._hold(target, place)
        elif isinstance(target, ast.Name) and self.is_object(value, place):
            self._objects.add((place, target.id))

    def _annotate(self, target: ast.expr, kind: ast.expr, place: int) -> None:
        match kind:
            case ast.Name(id=name) if name in self._classes and isinstance(target, ast.Name):
                self._objects.add((place, target.id))
            case ast.Subscript(value=ast.Name(id=outer)) if outer in _CONTAINERS:
                if any(isinstance(each, ast.Name) and each.id in self._classes for each in ast.walk(kind)):
                    self._hold(target, place)

    def _hold(self, target: ast.expr, place: int) -> None:
        if isinstance(target, ast.Name):
            self._holders.add((place, target.id))
        elif isinstance(target, ast.Attribute):
            self._attributes.add(target.attr)


def _returned(node: ast.FunctionDef) -> Iterator[ast.expr]:
    yield from (each.value for each in nodes_of(node) if isinstance(each, ast.Return) and each.value is not None)


def _placed(tree: ast.Module) -> Iterator[tuple[int, ast.AST]]:
    """Every node with the line of the innermost function around it; 0 outside functions, attributes of classes too."""
    stack: list[tuple[int, ast.AST]] = [(0, tree)]
    while stack:
        place, node = stack.pop()
        yield place, node
        inside = node.lineno if isinstance(node, ast.FunctionDef) else place
        stack += [(inside, each) for each in ast.iter_child_nodes(node)]
        if isinstance(node, ast.ClassDef):  # a field of a dataclass is an attribute of its objects
            fields = [
                each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            ]
            stack += [(0, _as_attribute(each)) for each in fields]


def _as_attribute(node: ast.AnnAssign) -> ast.AnnAssign:
    assert isinstance(node.target, ast.Name)
    return ast.AnnAssign(ast.Attribute(ast.Name("self"), node.target.id), node.annotation, None, 0)

"""Attributes of a class body that an object of the program describes: `name = Text()`, or a method that one decorates.

Such an object decides by its `__get__` and `__set__` what the attribute of another is worth. Asks about syntax alone.
"""

import ast
from collections.abc import Callable, Iterator

DESCRIBING = ("__get__", "__set__", "__delete__")


def described_names(node: ast.ClassDef, describes: Callable[[str], bool]) -> Iterator[str]:
    """The names that a class body gives to objects of a describing class."""
    for each in node.body:
        match each:
            case ast.Assign(value=ast.Call(func=ast.Name(id=kind)), targets=targets) if describes(kind):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(value=ast.Call(func=ast.Name(id=kind)), target=ast.Name(id=name)) if describes(kind):
                yield name
            case ast.FunctionDef(decorator_list=[decorator, *_], name=name):
                maker = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(maker, ast.Name) and describes(maker.id):
                    yield name

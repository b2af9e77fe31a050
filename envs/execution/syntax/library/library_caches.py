"""Functions and methods whose results the library keeps in no frame: `cache` and `lru_cache` that stay. Only syntax."""

import ast

from envs.execution.syntax.program_structure import nodes_of_program

_CACHES = frozenset({"cache", "lru_cache"})


def library_caches(tree: ast.Module) -> dict[str, int]:
    """The names that a decorator, or a call such as `lru_cache(maxsize=2)(h)`, binds to such functions; their lines."""
    found: dict[str, int] = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name, decorator_list=decorators) if any(map(_is_cache, decorators)):
                found[name] = node.lineno
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made)) if _is_cache(made):
                found[name] = node.lineno
    return found


def cached_methods(tree: ast.Module) -> dict[str, int]:
    """The names of methods that the library caches, in any class, and their lines."""
    classes = [node for node in nodes_of_program(tree) if isinstance(node, ast.ClassDef)]
    methods = [each for node in classes for each in node.body if isinstance(each, ast.FunctionDef)]
    return {each.name: each.lineno for each in methods if any(map(_is_cache, each.decorator_list))}


def _is_cache(node: ast.expr) -> bool:
    """Whether an expression is one of these decorators, with options or without."""
    match node:
        case ast.Call(func=inner):
            return _is_cache(inner)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _CACHES
    return False

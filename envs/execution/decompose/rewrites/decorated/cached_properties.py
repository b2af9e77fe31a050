"""`functools.cached_property` written as a property that keeps its value in a field of its own.

    @cached_property            @property
    def total(self): ...        def total(self):
                                    if not hasattr(self, "_total_kept"):
                                        self._total_kept = self._Cart_total_made()
                                    return self._total_kept

Where the program sets or deletes the attribute, the property has a setter or a deleter. In a program that looks at the
dict of an object's fields (`vars`, `__dict__`) the value stands there under the name of the property, as the library
puts it. A program that looks at its objects in other ways stays as it is, and so does a class whose objects cannot be
set. Knows only syntax.
"""

import ast
from collections.abc import Sequence

from envs.execution.decompose.rewrites.library_names import library_functions, occurring_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.program_structure import nodes_of

_CACHED = "functools.cached_property"
_DICTS = frozenset({"vars", "__dict__"})
_LOOKS = frozenset(
    "__slots__ __setattr__ setattr delattr attrname __getattr__ __getattribute__ __delattr__ dir getmembers".split()
)
_BASES = frozenset({"object", "ABC", "abc.ABC", "Enum", "enum.Enum"})
"""Bases outside the program whose objects can be set."""
_GETTER = """
@property
def NAME(self):
    if not hasattr(self, "KEPT"):
        self.KEPT = self.MADE()
    return self.KEPT
"""
_SETTER = """
@NAME.setter
def NAME(self, value):
    self.KEPT = value
"""
_DELETER = """
@NAME.deleter
def NAME(self):
    if not hasattr(self, "KEPT"):
        raise AttributeError(MESSAGE)
    del self.KEPT
"""

_DICT_GETTER = """
@property
def NAME(self):
    if "NAME" not in self.__dict__:
        self.__dict__["NAME"] = self.MADE()
    return self.__dict__["NAME"]
"""
_DICT_SETTER = """
@NAME.setter
def NAME(self, value):
    self.__dict__["NAME"] = value
"""
_DICT_DELETER = """
@NAME.deleter
def NAME(self):
    if "NAME" not in self.__dict__:
        raise AttributeError(MESSAGE)
    del self.__dict__["NAME"]
"""


class _Texts:
    """The methods of a property that keeps its value in a field of its own, or in the dict under its own name."""

    def __init__(self, in_dict: bool) -> None:
        self.getter = _DICT_GETTER if in_dict else _GETTER
        self.setter = _DICT_SETTER if in_dict else _SETTER
        self.deleter = _DICT_DELETER if in_dict else _DELETER


@rewriting({"functools"}, {"cached_property"}, in_place=True)
def with_kept_properties(tree: ast.Module) -> ast.Module:
    """The program with such properties written out; the same tree where there is none."""
    names = {text for text, known in library_functions(tree, (_CACHED,)).items() if known == _CACHED}
    nodes = nodes_of(tree) if names else ()
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    mentioned = occurring_names(tree) | {node.attr for node in attributes} if names else set[str]()
    mentioned |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    if not names or mentioned & _LOOKS:
        return tree
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    of_class = {f".{node.attr}" for node in attributes if _is_class(node.value, classes)}
    texts = _Texts(bool(mentioned & _DICTS))
    settable = set(_BASES)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and all(ast.unparse(base) in settable for base in node.bases):
            settable.add(node.name)
        if isinstance(node, ast.ClassDef) and node.name in settable and not _is_frozen(node):
            kept = [_kept(each, node.name, names, attributes, mentioned | of_class, texts) for each in node.body]
            node.body = [part for parts in kept for part in parts]
    return ast.fix_missing_locations(tree)


def _is_class(node: ast.expr, classes: set[str]) -> bool:
    """Whether an attribute is asked of a class, as far as its line shows."""
    text = ast.unparse(node)
    return text in classes or text == "cls" or text.startswith("type(") or text.endswith("__class__")


def _is_frozen(node: ast.ClassDef) -> bool:
    return any(isinstance(each, ast.Call) and each.keywords for each in node.decorator_list)


def _kept(
    node: ast.stmt, owner: str, names: set[str], attributes: Sequence[ast.Attribute], taken: set[str], texts: _Texts
) -> list[ast.stmt]:
    """The statements of a class that take the place of one."""
    if not isinstance(node, ast.FunctionDef) or [ast.unparse(each) for each in node.decorator_list] not in [
        [name] for name in names
    ]:
        return [node]
    kept, made = f"_{node.name}_kept", f"_{owner}_{node.name}_made"
    if node.name.startswith("_"):
        kept = f"{node.name}_kept_"  # two underscores would make it private to the class
    if node.name.startswith("__") or {kept, made, f".{node.name}"} & taken:
        return [node]
    uses = {type(each.ctx) for each in attributes if each.attr == node.name}
    source = texts.getter + (texts.setter if ast.Store in uses else "") + (texts.deleter if ast.Del in uses else "")
    source = source.replace("NAME", node.name).replace("KEPT", kept).replace("MADE", made)
    source = source.replace("MESSAGE", _missing(node.name))
    node.decorator_list, node.name = [], made
    return [node, *placed(ast.parse(source).body, node.lineno)]


def _missing(name: str) -> str:
    """The message of deleting a field that is not there, as this Python writes it."""

    class Bare:
        pass

    try:
        delattr(Bare(), name)
    except AttributeError as error:
        message = str(error)
    return f"repr(type(self).__name__) + {message.removeprefix(repr('Bare'))!r}" if "Bare" in message else repr(message)

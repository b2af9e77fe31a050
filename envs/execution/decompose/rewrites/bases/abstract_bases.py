"""Classes that derive from `Mapping`, `Sequence`, `UserDict` and their like, derived from classes of the program.

    class Catalog(Mapping):     ->      class Catalog(_Mapping):        with the methods of `abstract_sources.py`
    dict(catalog)               ->      _dict_of(catalog)               which asks for the keys one by one

So the methods that the library would run become steps. A program that asks whether something is a `Mapping`, by
`isinstance` or otherwise, stays as it is, and so does a class that lacks a method which it must have.
"""

import ast
from collections.abc import Sequence

from envs.execution.decompose.rewrites.bases.abstract_sources import (
    ABSTRACT_METHODS,
    ABSTRACT_SOURCES,
    ITERATOR,
    NEEDED,
)
from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, in_front, placed, without_identity
from envs.execution.syntax.program_structure import Function, nodes_of

_WANTED = {f"{module}.{name}": name for name in ABSTRACT_METHODS for module in ("collections.abc", "typing")}
_WANTED["collections.UserDict"] = "UserDict"
_USED = frozenset({"isinstance", "str", "dict", "iter", "len", "list", "max", "range", "repr", "reversed", "hasattr"})
_ODD = frozenset({"__missing__", "__class_getitem__", "__subclasshook__", "register", "__bases__", "__mro__", "mro"})
_OF_USER_DICT = frozenset({"copy", "__copy__", "fromkeys"})
"""Members of a `UserDict` that are not written."""
_DICT_OF = """
def NAME(given):
    if isinstance(given, MAPPING):
        found = {}
        for key in given.keys():
            found[key] = given[key]
        return found
    return dict(given)
"""


@rewriting({ast.ClassDef}, {"collections", "typing"})
def with_written_bases(tree: ast.Module) -> ast.Module:
    """The program with such bases replaced; the same tree where it has none, or where a line could tell."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.bases]
    known = {text: _WANTED[name] for text, name in library_functions(tree, list(_WANTED)).items()} if classes else {}
    bases = {node.name: [known.get(_named(base), "") for base in node.bases] for node in classes}
    if not any(any(names) for names in bases.values()):
        return tree
    nodes = nodes_of(tree)
    mentioned = occurring_names(tree) | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    if hides_names(tree) or mentioned & _ODD or rebound_builtins(tree) & _USED or _asked_elsewhere(tree, set(known)):
        return tree
    if not all(_is_whole(node, bases[node.name]) for node in classes) or _joins_views(nodes):
        return tree
    if any(map(_tells_abstract, nodes)) or ("UserDict" in known.values() and _asks_more(nodes, mentioned)):
        return tree
    writing = _Bases(tree, known, mentioned)
    return writing.written(classes)


def _tells_abstract(node: ast.AST) -> bool:
    """Whether a part of the program could tell the library's class from one that is written here."""
    if isinstance(node, ast.MatchMapping | ast.MatchSequence):
        return True
    derived = isinstance(node, ast.ClassDef) and bool(node.bases)
    return derived and any(
        ast.unparse(decorator).endswith("abstractmethod")
        for each in nodes_of(node)
        if isinstance(each, Function)
        for decorator in each.decorator_list
    )


def _asks_more(nodes: Sequence[ast.AST], mentioned: set[str]) -> bool:
    """Whether a program asks for what a `UserDict` has and the written class has not."""
    joins = any(isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.BitOr) for node in nodes)
    return joins or bool(mentioned & _OF_USER_DICT)


def _named(node: ast.expr) -> str:
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node)


def _asked_elsewhere(tree: ast.Module, texts: set[str]) -> bool:
    """Whether the program uses one of the names for more than a base or an annotation."""
    quiet: set[int] = set()
    for node in nodes_of(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.ClassDef):
            parts = [*node.bases]
        elif isinstance(node, Function):
            parts = [node.returns]
        elif isinstance(node, ast.arg | ast.AnnAssign):
            parts = [node.annotation]
        quiet |= {id(each) for part in parts if part is not None for each in nodes_of(part)}
    return any(
        isinstance(node, ast.Name | ast.Attribute) and id(node) not in quiet and ast.unparse(node) in texts
        for node in nodes_of(tree)
    )


def _is_whole(node: ast.ClassDef, names: list[str]) -> bool:
    """Whether a class has all methods that its abstract bases want, and no other base that may matter."""
    wanted = frozenset[str]().union(*(ABSTRACT_METHODS[name] for name in names if name))
    own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    own |= {target.id for each in node.body if isinstance(each, ast.Assign) for target in _targets(each)}
    return wanted <= own and sum(map(bool, names)) <= 1 and not node.keywords


def _targets(node: ast.Assign) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)]


def _joins_views(nodes: list[ast.AST]) -> bool:
    """Whether a line joins or compares the keys or items of something, which the library's views can do."""
    for node in nodes:
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.In | ast.NotIn):
            parts = [node.left, *node.comparators]
        called = [part.func for part in parts if isinstance(part, ast.Call)]
        if any(isinstance(each, ast.Attribute) and each.attr in ("keys", "items") for each in called):
            return True
        if isinstance(node, ast.keyword) and node.arg == "default":
            return True  # of `pop`, perhaps
    return False


def _has_iter(node: ast.ClassDef) -> bool:
    return any(isinstance(each, ast.FunctionDef) and each.name == "__iter__" for each in node.body)


class _Bases(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, tree: ast.Module, known: dict[str, str], mentioned: set[str]) -> None:
        self._tree, self._known, self._mentioned = tree, known, mentioned
        self._taken = occurring_names(tree)
        self._names: dict[str, str] = {}
        """Of each class of the library: the name of the one in its place."""
        self._lines: dict[str, int] = {}
        self._dict_of, self._dict_line = fresh_name("_dict_of", self._taken), 0

    def written(self, classes: list[ast.ClassDef]) -> ast.Module:
        """The program with its new bases, and with them in front."""
        for node in classes:
            if any(self._known.get(_named(base)) == "Iterator" for base in node.bases) and not _has_iter(node):
                node.body += placed(ast.parse(ITERATOR).body, node.lineno)
            node.bases = [new for base in node.bases for new in self._base(base, node.lineno)]
        if "Mapping" in self._names:
            self._tree = self.visit(self._tree)
        found = [part for name in self._names for part in self._source(name)]
        if self._dict_line:
            source = filled(_DICT_OF, NAME=self._dict_of, MAPPING=self._names["Mapping"])
            found += placed(ast.parse(source).body, self._dict_line)
        return in_front(self._tree, found)

    def _base(self, node: ast.expr, line: int) -> list[ast.expr]:
        wanted = self._known.get(_named(node))
        if wanted is None:
            return [node]
        if wanted not in ABSTRACT_SOURCES:
            return []
        for name in (*NEEDED.get(wanted, ()), wanted):
            if name not in self._names:
                self._names[name] = fresh_name(f"_{name}", self._taken)
                self._lines[name] = line
        return [ast.copy_location(ast.Name(self._names[wanted], ast.Load()), node)]

    def _source(self, name: str) -> list[ast.stmt]:
        emptied = name == "MutableMapping" and self._mentioned & {"popitem", "clear"}
        source = without_identity(ABSTRACT_SOURCES[f"{name} that is emptied" if emptied else name], self._taken)
        above = {"MAPPING": "Mapping", "MUTABLE": "MutableMapping", "SEQUENCE": "Sequence"}
        parts = {word: self._names[each] for word, each in above.items() if each in self._names}
        return placed(ast.parse(filled(source, NAME=self._names[name], **parts)).body, self._lines[name])

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="dict") as func, args=[ast.Name() | ast.Attribute()], keywords=[]):
                self._dict_line = self._dict_line or node.lineno
                node.func = ast.copy_location(ast.Name(self._dict_of, ast.Load()), func)
        return node

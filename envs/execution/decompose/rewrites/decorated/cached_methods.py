"""Methods that `functools.cache` and `lru_cache` decorate, written as a dict of the module that is looked up first.

    class Grid:                         _Grid_ways_cache = {}
        @cache                          class Grid:
        def ways(self, r, c): ...           def _Grid_ways_made(self, r, c): ...
                                            def ways(self, r, c):
                                                if (self, r, c) in _Grid_ways_cache:
                                                    return _Grid_ways_cache[self, r, c]
                                                result = self._Grid_ways_made(r, c)
                                                _Grid_ways_cache[self, r, c] = result
                                                return result

The object is part of the key, as it is in the library's. Properties, class methods and static methods may be cached
too. Where calls give now more arguments, now fewer, or some by name, what is given is the key. A method stays as it is
where its keys could differ from the library's, or where the program could see the difference. Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envs.execution.decompose.rewrites.decorated.cache_keys import may_mix_types
from envs.execution.decompose.rewrites.decorated.cache_rewrites import (
    ASKED,
    CACHES,
    COUNTING,
    INFO,
    INFO_TUPLE,
    OF_CACHES,
    asks_keys,
    cache_size,
)
from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import DECORATED_FUNCTION, rewriting
from envs.execution.decompose.rewrites.written_functions import filled, placed
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.classes.class_hashing import is_unhashable
from envs.execution.syntax.classes.own_classes import OwnClasses, mangled, own_classes
from envs.execution.syntax.classes.value_equality import equal_by_fields
from envs.execution.syntax.program_structure import nodes_of

_KINDS = {(): "method", ("property",): "property", ("staticmethod",): "static", ("classmethod",): "class"}
"""What stands above the decorator of the library."""
_LOOKS = frozenset({"dir", "getmembers", "signature", "__wrapped__", "cache_parameters", "setattr", "delattr"})
"""What could tell a class that is written so from one that is not."""
_LOOKING_UP = frozenset({"getattr", "attrgetter", "methodcaller", "operator"})
"""Names in programs where a text may mean a method."""
_NEEDED = frozenset({"len", "property", "staticmethod", "classmethod"})
"""Builtins that what is written needs."""
_WRAPPER = """
DECORATOR
def NAME():
    if KEY in CACHE:
        HIT
        return CACHE[KEY]
    MISS
    RESULT = CALL
    STORE
    return RESULT
"""
_BOUNDED_STORE = """if KEY not in CACHE:
        CACHE[KEY] = RESULT
        if len(CACHE) > SIZE:
            for OLDEST in CACHE:
                break
            del CACHE[OLDEST]"""


@rewriting({ast.ClassDef}, {DECORATED_FUNCTION}, {"cache", "lru_cache"})
def with_kept_results(tree: ast.Module) -> ast.Module:
    """The program with such methods written out; the same tree where there is none."""
    library = {text: known for text, known in library_functions(tree, CACHES).items() if known in CACHES}
    found = list(_Search(tree, library).found()) if library and not hides_names(tree) else []
    if not found:
        return tree
    uses = _Uses(found)
    body: list[ast.stmt] = []
    for node in tree.body:
        mine = [each for each in found if each.owner is node]
        front = [line for each in mine for line in each.front(first=each is uses.first)]
        for each in mine:
            place = each.owner.body.index(each.node)
            each.owner.body[place : place + 1] = each.written()
        body += [*front, uses.visit(node)]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


@dataclass(frozen=True, slots=True)
class _CachedMethod:
    """One method whose results are kept."""

    owner: ast.ClassDef
    node: ast.FunctionDef
    kind: str
    cache: str
    """The name of its dict."""
    size: int | None
    counted: bool
    """Whether the program asks for its counts, or clears them."""
    varies: bool
    """Whether what is given is the key, as calls differ in how they give it."""
    named: bool
    """Whether some call gives arguments by name."""

    @property
    def name(self) -> str:
        return self.node.name

    def front(self, *, first: bool) -> list[ast.stmt]:
        """The dict, and the functions that ask for its counts."""
        source = f"{self.cache} = {{}}\n"
        if self.counted:
            words = {"COUNTS": f"{self.cache}_counts", "SIZE": repr(self.size), "CACHE": self.cache}
            source += (INFO_TUPLE if first else "") + filled(COUNTING, **words)
        return placed(ast.parse(source).body, self.node.lineno)

    def written(self) -> list[ast.stmt]:
        """The bare method, and the one that looks into the dict first."""
        made = f"_{self.owner.name.strip('_')}_{self.name.strip('_')}_made"
        arguments = self.node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        rest = [f"*{arguments.vararg.arg}"] if arguments.vararg else []
        taken = {*names, *(each.lstrip("*") for each in rest), *occurring_names(ast.Module([self.node], []))}
        first = [] if self.kind == "static" else names[:1]
        given = [*names[len(first) :], *rest]
        key = _tuple([*first, *given])
        wrapper_arguments = arguments
        if self.varies:
            rest_name, word_name = fresh_name("given", taken), fresh_name("named", taken)
            given = [f"*{rest_name}", *([f"**{word_name}"] if self.named else [])]
            key = _tuple([*first, f"*{rest_name}"])
            key = f"({key}, (*{word_name}.items(),))" if self.named else key
            keywords = ast.arg(word_name) if self.named else None
            wrapper_arguments = ast.arguments([], [*map(ast.arg, first)], ast.arg(rest_name), [], [], keywords, [])
        else:
            arguments = ast.arguments([], [*map(ast.arg, names)], arguments.vararg, [], [], None, [])
        wrapper = self._wrapper(key, f"{first[0] if first else self.owner.name}.{made}({', '.join(given)})", taken)
        wrapper.args = wrapper_arguments
        above = [each for each in self.node.decorator_list[:-1] if self.kind in ("static", "class")]
        bare = ast.FunctionDef(made, arguments, self.node.body, above, self.node.returns)
        return [ast.copy_location(bare, self.node), wrapper]

    def _wrapper(self, key: str, call: str, taken: set[str]) -> ast.FunctionDef:
        result, oldest = fresh_name("result", taken), fresh_name("oldest", taken)
        store = "CACHE[KEY] = RESULT" if self.size is None else _BOUNDED_STORE
        again = "" if self.size is None else "CACHE[KEY] = CACHE.pop(KEY)"
        hit = "\n        ".join([*(["COUNTS[0] += 1"] if self.counted else []), *([again] if again else [])])
        source = _WRAPPER.replace("STORE", store).replace("HIT", hit)
        source = source.replace("MISS", "COUNTS[1] += 1" if self.counted else "")
        above = "".join(f"@{ast.unparse(each)}" for each in self.node.decorator_list[:-1])
        words = {"DECORATOR": above, "NAME": self.name, "CACHE": self.cache, "KEY": key, "CALL": call}
        words |= {"RESULT": result, "OLDEST": oldest, "SIZE": repr(self.size), "COUNTS": f"{self.cache}_counts"}
        source = filled(source, **words)
        wrapper = placed(ast.parse(source).body, self.node.lineno)[0]
        assert isinstance(wrapper, ast.FunctionDef)
        return wrapper


def _tuple(parts: Sequence[str]) -> str:
    """The key of these parts; a single one is its own."""
    if len(parts) == 1 and not parts[0].startswith("*"):
        return parts[0]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


class _Search:
    """Finds the methods that can be written so."""

    def __init__(self, tree: ast.Module, library: Mapping[str, str]) -> None:
        self._tree, self._library = tree, library
        self._nodes = nodes_of(tree)
        self._calls: dict[str, list[ast.Call]] = {}
        self._mentions: Counter[str] = Counter()
        self._asked: dict[str, set[str]] = {}
        looked_up = not _LOOKING_UP.isdisjoint(occurring_names(tree))
        for node in self._nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Attribute(ast.Name(), name), attr=asked)) if asked in ASKED:
                    self._asked.setdefault(name, set()).add(asked)
                    self._mentions[name] -= 1
                case ast.Call(func=ast.Attribute(attr=name)):
                    self._calls.setdefault(name, []).append(node)
                    self._mentions[name] -= 1
                case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                    self._mentions[name] += isinstance(node, ast.Attribute) or looked_up

    def found(self) -> Sequence[_CachedMethod]:
        """The methods, none where any other line may see how results are kept."""
        names, classes = occurring_names(self._tree), own_classes(self._tree)
        attributes = {node.attr for node in self._nodes if isinstance(node, ast.Attribute)}
        asked = [node for node in self._nodes if isinstance(node, ast.Attribute) and node.attr in OF_CACHES]
        known = sum(isinstance(node, ast.Call) and _asks_counts(node) for node in self._nodes)
        functions = sum(isinstance(node.value, ast.Name) for node in asked)
        if _LOOKS & (names | attributes) or len(asked) != known + functions or asks_keys(self._nodes):
            return []
        if _may_change_keys(self._nodes) or rebound_builtins(self._tree) & _NEEDED:
            return []
        times = Counter(bound_in(self._tree))
        owners = [node for node in self._tree.body if isinstance(node, ast.ClassDef) and times[node.name] == 1]
        made: list[_CachedMethod] = []
        for owner in owners:
            if _is_plain(owner, classes):
                made += [each for node in owner.body if (each := self._method(owner, node, names)) is not None]
        return made

    def _method(self, owner: ast.ClassDef, node: ast.stmt, names: set[str]) -> _CachedMethod | None:
        if not isinstance(node, ast.FunctionDef) or not node.decorator_list or node.name.endswith("__"):
            return None
        *above, decorator = node.decorator_list
        kind = _KINDS.get(tuple(map(ast.unparse, above)))
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if kind is None or ast.unparse(called) not in self._library or self._is_asked_outside(owner, node.name):
            return None
        size = cache_size(decorator, self._library)
        counted = bool(self._asked.get(node.name))
        varies = bool(node.args.kwonlyargs) or not self._fits_alike(node, kind)
        given = node.args
        if size == 0 or not _stands_alone(owner, node, self._nodes) or given.kwarg:
            return None
        if (kind != "static" and not given.args) or (varies and not self._all_fit(node, kind)):
            return None
        if kind == "static" and len(given.args) == 1 and may_mix_types(node.name, self._nodes):
            return None
        if counted and ({INFO, "namedtuple"} & names or not self._is_only_one(node.name) or kind == "property"):
            return None
        named = any(call.keywords for call in self._calls.get(node.name, ()))
        cache = fresh_name(f"_{owner.name.strip('_')}_{node.name.strip('_')}_cache", names)
        return _CachedMethod(owner, node, kind, cache, size, counted, varies, named)

    def _is_asked_outside(self, owner: ast.ClassDef, name: str) -> bool:
        """Whether a line asks for a private method by the name under which the class stores it."""
        return mangled(name, owner.name) != name and self._mentions[mangled(name, owner.name)] != 0

    def _is_only_one(self, name: str) -> bool:
        """Whether no other function of the program has the name."""
        return sum(isinstance(node, ast.FunctionDef) and node.name == name for node in self._nodes) == 1

    def _fits_alike(self, node: ast.FunctionDef, kind: str) -> bool:
        """Whether all calls give as many arguments, by place, so that the parameters are the key."""
        if kind == "property":
            return True
        calls = self._calls.get(node.name, [])
        plain = all(not call.keywords and not any(map(_is_star, call.args)) for call in calls)
        elsewhere = self._mentions[node.name] > 0
        if elsewhere and (node.args.defaults or self._may_name(node)):
            return False
        counts = {len(call.args) - self._is_asked_of_class(call, kind) for call in calls}
        if node.args.vararg and not node.args.defaults:
            return not any(call.keywords for call in calls)
        return plain and (not node.args.defaults or len(counts) <= 1)

    def _may_name(self, node: ast.FunctionDef) -> bool:
        """Whether some call of the program may give an argument of the method by its name."""
        names = {each.arg for each in node.args.args}
        words = {word.arg for each in self._nodes if isinstance(each, ast.Call) for word in each.keywords}
        return bool(words & {*names, None})

    def _all_fit(self, node: ast.FunctionDef, kind: str) -> bool:
        """Whether the program only calls the method, with arguments that it takes."""
        given = node.args
        names = [each.arg for each in given.args][kind != "static" :]
        if self._mentions[node.name] > 0 or given.posonlyargs or given.vararg:
            return False
        by_name = {each.arg for each in given.kwonlyargs}
        asked = {each.arg for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is None}
        needed = {*names[: len(names) - len(given.defaults)], *asked}
        for call in self._calls.get(node.name, ()):
            count = len(call.args) - self._is_asked_of_class(call, kind)
            words = {str(word.arg) for word in call.keywords}
            plain = all(word.arg for word in call.keywords) and not any(map(_is_star, call.args))
            if not plain or not 0 <= count <= len(names) or not words <= {*names[count:], *by_name}:
                return False
            if not needed <= {*names[:count], *words}:
                return False
        return True

    def _is_asked_of_class(self, call: ast.Call, kind: str) -> bool:
        """Whether a call gives the object too: `Grid.ways(grid, 1, 2)`."""
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        classes = {each.name for each in self._nodes if isinstance(each, ast.ClassDef)}
        return kind == "method" and isinstance(owner, ast.Name) and owner.id in classes


def _stands_alone(owner: ast.ClassDef, node: ast.FunctionDef, nodes: Sequence[ast.AST]) -> bool:
    """Whether the name is bound once in the class, used by no line of its body, and set nowhere."""
    bound = [name for each in owner.body for name in bound_in(each)]
    outside: list[ast.AST] = [each for each in owner.body if not isinstance(each, ast.FunctionDef)]
    for each in owner.body:
        outside += [*each.decorator_list, *each.args.defaults] if isinstance(each, ast.FunctionDef) else []
    used = {each.id for part in outside for each in nodes_of(part) if isinstance(each, ast.Name)}
    set_again = any(isinstance(each, ast.Attribute) and each.attr == node.name and _is_set(each) for each in nodes)
    return bound.count(node.name) == 1 and node.name not in used and not set_again


def _is_plain(node: ast.ClassDef, classes: OwnClasses) -> bool:
    """Whether rules know the class, its objects can be keys, and they hold nothing but fields."""
    mine = classes.known(node.name)
    return mine is not None and not mine.container and not is_unhashable(classes, node.name)


def _may_change_keys(nodes: Sequence[ast.AST]) -> bool:
    """Whether a field by which a class hashes its objects is set by any line but those of its `__init__`."""
    for node in nodes:
        if isinstance(node, ast.ClassDef) and equal_by_fields(node):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
            made = {id(each) for method in methods for each in nodes_of(method)}
            fields = {each.attr for each in nodes_of(node) if isinstance(each, ast.Attribute) and _is_set(each)}
            stores = [each for each in nodes if isinstance(each, ast.Attribute) and _is_set(each)]
            if any(each.attr in fields and id(each) not in made for each in stores):
                return True
    return False


def _is_set(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_star(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _asks_counts(node: ast.Call) -> bool:
    """Whether it is `grid.ways.cache_info()`, or the like."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name()), attr=attr), args=[], keywords=[]):
            return attr in ASKED
    return False


class _Uses(ast.NodeTransformer):
    """Lets lines that ask for counts call the functions beside the dict."""

    def __init__(self, found: Sequence[_CachedMethod]) -> None:
        self._caches = {each.name: each.cache for each in found if each.counted}
        self.first = next((each for each in found if each.counted), None)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Attribute(attr=name), attr=asked) if name in self._caches and asked in ASKED:
                function = f"{self._caches[name]}{asked.removeprefix('cache')}"
                return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), [], []), node)
        return node

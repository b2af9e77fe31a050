"""Functions that `functools.cache` and `lru_cache` decorate, written as a dict of the module that is looked up first.

    @lru_cache(maxsize=2)       the dict forgets its oldest key, and a key that is found becomes the newest
    f.cache_info()              two counters beside the dict, and a function that makes a named tuple of them
    f.cache_clear()             a function that empties both

    g(1), g(1.0)                a key says whether it is of an int or a text, where one argument may be of several types

A function whose keys would differ from the library's (arguments now by place, now by name), or of which anything else
is asked, stays as it is. Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from envs.execution.decompose.rewrites.classes.local_classes import bound_names
from envs.execution.decompose.rewrites.decorated.cache_keys import may_mix_types
from envs.execution.decompose.rewrites.library_names import fresh_name
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.classes.value_equality import equal_by_fields
from envs.execution.syntax.program_structure import nodes_of, steps_below

CACHES = ("functools.cache", "functools.lru_cache")
ASKED = frozenset({"cache_info", "cache_clear"})
OF_CACHES = ASKED | {"cache_parameters", "__wrapped__"}
"""What can be asked of any cached function, under whatever name it is known."""
_WORDS = ("CACHE", "COUNTS", "NAME", "KEY", "BODY", "HIT", "MISS", "STORE", "SIZE", "GIVEN", "BY_TYPE")
"""What the texts below are filled in for."""
INFO = "CacheInfo"
_LEAST_RECENT = 128
"""The size of an `lru_cache` that is told none."""
_CACHED = """
CACHE = {}
def NAME():BY_TYPE
    if KEY in CACHE:
        HIT
        return CACHE[KEY]
    MISS
    result = BODY
    STORE
    return result
"""
_BY_TYPE = """
    KEY = GIVEN
    if type(GIVEN) is not int and type(GIVEN) is not str:
        KEY = (GIVEN,)"""
BOUNDED_STORE = """if KEY not in CACHE:
        CACHE[KEY] = result
        if len(CACHE) > SIZE:
            for oldest in CACHE:
                break
            del CACHE[oldest]"""
COUNTING = """
COUNTS = [0, 0]
def CACHE_info():
    return CacheInfo(COUNTS[0], COUNTS[1], SIZE, len(CACHE))
def CACHE_clear():
    CACHE.clear()
    COUNTS[:] = [0, 0]
"""
INFO_TUPLE = """
from collections import namedtuple
CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])
"""


@dataclass(frozen=True, slots=True)
class CachedFunction:
    """One function that the library would cache."""

    name: str
    cache: str
    """The name of its dict."""
    size: int | None
    """How many results it keeps; None for all."""
    counted: bool
    """Whether the program asks it for its counts or clears it."""
    makes_tuple: bool
    """Whether it is the first such function: the class of its counts is defined in front of it."""
    mixes: bool
    """Whether numbers of several types may be given: the library keeps `1` apart from `1.0` and `True`."""
    varies: bool = False
    """Whether calls give now more arguments, now fewer: what is given is the key."""

    def written(self, node: ast.FunctionDef, fresh: Callable[[str], str]) -> list[ast.stmt]:
        """The statements that take the place of the function's definition."""
        names = [argument.arg for argument in node.args.args]
        inner, given = fresh(f"_{self.name}"), ", ".join(names)
        key = names[0] if len(names) == 1 else f"({given})"
        if self.varies:
            key = fresh("given")
            given = f"*{key}"
        by_type = _BY_TYPE if self.mixes and len(names) == 1 and not self.varies else ""
        words = {
            "HIT": "COUNTS[0] += 1" if self.counted else "",
            "MISS": "COUNTS[1] += 1" if self.counted else "",
            "STORE": "CACHE[KEY] = result" if self.size is None else BOUNDED_STORE,
        }
        if self.size is not None:
            words["HIT"] += "\n        CACHE[KEY] = CACHE.pop(KEY)"
        text = _CACHED.replace("BY_TYPE", by_type) + (COUNTING if self.counted else "")
        for word, meant in (*words.items(), ("COUNTS", f"{self.cache}_counts"), ("SIZE", repr(self.size))):
            text = text.replace(word, meant)
        for own in {"result", "oldest"} & set(names):
            text = text.replace(own, fresh(own))
        if by_type:
            text, key = text.replace("GIVEN", key), fresh("key")
        text = text.replace("CACHE", self.cache).replace("NAME", self.name)
        text = text.replace("KEY", key).replace("BODY", f"{inner}({given})")
        front = INFO_TUPLE if self.makes_tuple else ""
        made = placed(ast.parse(front + text).body, node.lineno)
        wrapper = next(each for each in made if isinstance(each, ast.FunctionDef) and each.name == self.name)
        any_number = ast.arguments([], [], ast.arg(key), [], [], None, []) if self.varies else node.args
        bare = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        wrapper.args, bare = any_number, node.args if self.varies else bare
        body = ast.copy_location(ast.FunctionDef(inner, bare, node.body, [], node.returns), node)
        return [*made, *placed([body], None)]


def cached_functions(tree: ast.Module, library: Mapping[str, str], taken: Set[str]) -> dict[str, CachedFunction]:
    """The functions of the module that are only cached and can be written so, by name."""
    nodes = nodes_of(tree)
    asked: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            asked.setdefault(node.value.id, set()).add(node.attr)
    found: dict[str, CachedFunction] = {}
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    inner = [node for node in _inner_functions(tree) if node.name not in asked and _is_bound_once(node.name, nodes)]
    functions += inner
    times = Counter(node.name for node in nodes if isinstance(node, ast.FunctionDef))
    cached = {node.name for node in functions if _is_cached(node, library)}
    if not cached or _is_asked_elsewhere(tree, cached) or asks_keys(nodes):
        return found
    for node in functions:
        if not _is_cached(node, library) or times[node.name] > 1:
            continue
        if any(word in name for name in (node.name, *(each.arg for each in node.args.args)) for word in _WORDS):
            continue
        wanted, size = asked.get(node.name, set()), cache_size(node.decorator_list[0], library)
        if size == 0 or not wanted <= ASKED or not _only_calls(node.name, wanted, nodes):
            continue
        varies, mixes = not _same_keys(node, nodes), may_mix_types(node.name, nodes)
        if varies and (mixes or not _fitting_keys(node, nodes)):
            continue
        if wanted and {INFO, "namedtuple"} & taken:
            continue
        first = bool(wanted) and not any(each.counted for each in found.values())
        cache = fresh_name(f"_{node.name}_cache", taken | {each.cache for each in found.values()})
        found[node.name] = CachedFunction(node.name, cache, size, bool(wanted), first, mixes, varies)
    return found


def _inner_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions that stand in a function of the module, or in a method of its classes, in no other class and no loop.

    The dict of a function is a variable of the function around it: functions that a loop makes would share it.
    """
    blocks = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    outer = [node for block in blocks for node in block if isinstance(node, ast.FunctionDef)]
    below = [node for each in outer for node in steps_below(each)]
    odd = (ast.ClassDef, ast.For, ast.While, ast.AsyncFor)
    held = {id(each) for node in below if isinstance(node, odd) for each in nodes_of(node)}
    return [node for node in below if isinstance(node, ast.FunctionDef) and id(node) not in held]


def _is_bound_once(name: str, nodes: Sequence[ast.AST]) -> bool:
    return sum(bound == name for node in nodes for bound in bound_names(node)) == 1


def _is_asked_elsewhere(tree: ast.Module, cached: Set[str]) -> bool:
    """Whether a cached function may be asked for its counts by another name, or by a line of the module itself."""
    for statement in tree.body:
        is_written = isinstance(statement, ast.FunctionDef | ast.ClassDef)
        for node in nodes_of(statement):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in cached and is_written:
                    pass
                case ast.Attribute(attr=attr) | ast.Constant(value=str(attr)) if attr in OF_CACHES:
                    return True
    return False


def asks_keys(nodes: Sequence[ast.AST]) -> bool:
    """Whether a class of the program hashes or compares its objects by code that could tell how often."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef) and not equal_by_fields(node)]
    return any(getattr(each, "name", "") in ("__hash__", "__eq__") for node in classes for each in node.body)


def asked_cache(node: ast.Call, found: Mapping[str, CachedFunction]) -> ast.Call | None:
    """The call of `f.cache_info()` or `f.cache_clear()` as one of the program's own; None for any other call."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in ASKED and name in found:
            made = ast.Call(ast.Name(f"{found[name].cache}{attr.removeprefix('cache')}", ast.Load()), [], [])
            return ast.fix_missing_locations(ast.copy_location(made, node))
    return None


def _is_cached(node: ast.FunctionDef, library: Mapping[str, str]) -> bool:
    """Whether a function is only cached, and takes plain parameters."""
    if len(node.decorator_list) != 1:
        return False
    decorator = node.decorator_list[0]
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    given = node.args
    plain = given.args and not (given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg)
    return bool(plain) and library.get(ast.unparse(made)) in CACHES


def cache_size(decorator: ast.expr, library: Mapping[str, str]) -> int | None:
    """How many results the decorator keeps: None for all, 0 where only running the program tells."""
    if not isinstance(decorator, ast.Call):
        return _LEAST_RECENT if library.get(ast.unparse(decorator)) == "functools.lru_cache" else None
    match [*decorator.args, *[word.value for word in decorator.keywords if word.arg == "maxsize"]]:
        case []:
            size: object = _LEAST_RECENT
        case [ast.Constant(value=size)]:
            pass
        case _:
            return 0
    named = {word.arg for word in decorator.keywords}
    if not named <= {"maxsize"}:
        return 0
    return size if size is None or (type(size) is int and size > 0) else 0


def _only_calls(name: str, wanted: set[str], nodes: Sequence[ast.AST]) -> bool:
    """Whether the program binds the function's name once and uses its attributes only in calls without arguments."""
    if not wanted:
        return True
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and not node.keywords
    ]
    called = {id(node.func) for node in calls}
    bound = [node for node in nodes if isinstance(node, ast.Name) and node.id == name and _is_stored(node)]
    bound_again = [node for node in nodes if isinstance(node, ast.arg) and node.arg == name]
    defined = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name]
    asked = [
        node
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    ]
    return all(id(node) in called for node in asked) and not bound and not bound_again and len(defined) == 1


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _same_keys(node: ast.FunctionDef, nodes: Sequence[ast.AST]) -> bool:
    """Whether all calls give as many arguments, by place: the library keeps one result for each way to give them."""
    calls = [
        each
        for each in nodes
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == node.name
    ]
    if any(call.keywords or any(isinstance(arg, ast.Starred) for arg in call.args) for call in calls):
        return False
    mentions = sum(isinstance(each, ast.Name) and each.id == node.name for each in nodes)
    asked = sum(
        isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == node.name
        for each in nodes
    )
    if mentions != len(calls) + asked and node.args.defaults:
        return False
    return len({len(call.args) for call in calls}) <= 1


def _fitting_keys(node: ast.FunctionDef, nodes: Sequence[ast.AST]) -> bool:
    """Whether the program only calls the function, by place, each time with as many arguments as it takes."""
    calls = [
        each
        for each in nodes
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == node.name
    ]
    asked = [
        each
        for each in nodes
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == node.name
    ]
    mentions = sum(isinstance(each, ast.Name) and each.id == node.name for each in nodes)
    most = len(node.args.args)
    plain = all(not call.keywords and not any(isinstance(arg, ast.Starred) for arg in call.args) for call in calls)
    fits = all(most - len(node.args.defaults) <= len(call.args) <= most for call in calls)
    return plain and fits and mentions == len(calls) + len(asked)

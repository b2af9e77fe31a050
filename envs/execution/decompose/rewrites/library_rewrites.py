"""Library functions that would call functions of the program from C, written in Python: their calls become steps.

    @functools.cache                    a dict of the module, and a function that looks there first
    reduce(lambda a, b: a * b, xs)      a function in front of the program, with a loop
    partial(scale, 2)                   a function that holds what is given
    takewhile(lambda x: x < 3, xs)      a generator of the program, as are groupby, pairwise, accumulate and others
    list(accumulate(xs))                the same, where the items are taken at once: each addition becomes a step
    enumerate(numbers())                a generator too, where it goes through a generator of the program
    Counter(words)                      a function that counts one by one, as does one for `bisect_left`
    sum(xs, Fraction(0))                a loop of additions
    for color in Color                  a loop over the list of the enum's members

The program behaves as before. A call
with functions of Python's own (`map(str, xs)`) stays one line, but for `reduce`. Knows only the source's line numbers.
"""

import ast

from envs.execution.decompose.rewrites.callback_rewrites import (
    appended,
    asked_parts,
    calls_back,
    calls_by_name,
    extension,
    generator_functions,
    generator_methods,
    iterated_names,
    kept_map,
    key_parameter,
    partial_helper,
    stopping_functions,
)
from envs.execution.decompose.rewrites.classes.enum_members import CONSUMERS
from envs.execution.decompose.rewrites.container_helpers import BY_KEY
from envs.execution.decompose.rewrites.decorated.cache_rewrites import CACHES, asked_cache, cached_functions
from envs.execution.decompose.rewrites.iterator_helpers import BEST_BY_KEY
from envs.execution.decompose.rewrites.keys.getter_rewrites import (
    ARRANGEMENTS,
    GETTERS,
    MATCHING,
    OPERATORS,
    arranged,
    getter,
    key_getter,
    mentions_patterns,
    operator_lambda,
    operator_map,
    sorts,
    with_pattern,
)
from envs.execution.decompose.rewrites.library_helpers import (
    HELPERS,
    OVER_GENERATORS,
    OWN_FUNCTION,
    PLAIN_CONTAINERS,
    builtins_of,
)
from envs.execution.decompose.rewrites.library_names import (
    AMOUNTS,
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
    with_named_imports,
)
from envs.execution.decompose.rewrites.preconditions import Occurrence, rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.bindings import imported_names
from envs.execution.syntax.classes.library_classes import library_classes
from envs.execution.syntax.classes.own_iterators import begins_anew
from envs.execution.syntax.generator_names import generator_names
from envs.execution.syntax.program_structure import nodes_of
from envs.execution.syntax.python_version import KEYS_IN_MESSAGES

_FOLDING = {"functools.reduce": 0, "itertools.accumulate": 1}
"""Functions that fold by a function, and its place among their arguments."""
_ITERATORS = frozenset({"map", "filter", "zip", "enumerate", "reversed", "iter", "finditer"})
_WANTED = (*HELPERS, *BY_KEY, *BEST_BY_KEY, *CACHES, *GETTERS, *OPERATORS, *ARRANGEMENTS, *AMOUNTS)
"""Functions of the library that have something to do with what is written out."""
_LAZY = frozenset({"itertools.islice", "itertools.takewhile", "itertools.dropwhile"})
"""Functions that go through a `map` or `filter` item by item."""
_CONSUMING = frozenset({"list", "tuple", "set", "sum", "max", "min", "sorted", "any", "all"})
"""Builtins that take all items of their argument at once."""


_OCCURRING: frozenset[Occurrence] = frozenset(
    {ast.alias, ast.ClassDef, ast.GeneratorExp, ast.Yield, ast.YieldFrom, "map", "filter", "key", "finditer", "sub"}
)


@rewriting(_OCCURRING)
def with_own_calls(tree: ast.Module) -> ast.Module:
    """The program with such library functions written out; the same tree where there is none."""
    tree = with_named_imports(tree)
    library, enums = library_functions(tree, _WANTED), library_classes(tree).enums
    nodes = nodes_of(tree)
    if not (library or enums or generator_functions(tree) or mentions_patterns(nodes) or calls_back(nodes)):
        return tree
    if hides_names(tree):
        return tree
    rewriting = _Rewriting(tree, library, {name: facts.listed for name, facts in enums.items()})
    body = [part for statement in tree.body for part in rewriting.statement(statement)]
    return in_front(ast.Module(body, tree.type_ignores), rewriting.helpers())


class _Rewriting(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, tree: ast.Module, library: dict[str, str], enums: dict[str, tuple[str, ...]]) -> None:
        self._library = library
        self._enums = enums
        nodes = nodes_of(tree)
        self._bound_names = rebound_builtins(tree)
        self._imported = imported_names(tree)
        self._identifiers = occurring_names(tree)
        self._functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self._made = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
        self._asked_parts = asked_parts(nodes, library)
        self._calls_by_name = calls_by_name(nodes, self._functions | self._made | self._imported)
        self._caches = cached_functions(tree, library, self._identifiers)
        self._properties = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.decorator_list}
        self._used: dict[str, str] = {}
        self._depth = 0
        """How many functions stand around what is visited."""
        stored = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        given = [node.arg for node in nodes if isinstance(node, ast.arg)]
        self._parameters = set(given) - set(stored) - self._functions
        """Names that are bound by calls alone."""
        self._stopping = stopping_functions(nodes)
        self._iterated = iterated_names(nodes)
        self._named_once = {name for name in self._functions if name not in stored and name not in given}
        self._mentioned = self._identifiers | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        self._mentioned |= {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
        self._consumed: set[ast.expr] = set()
        """Iterables whose items are taken where they are made."""
        self._generators = set(generator_functions(tree))
        self._generator_methods = generator_methods(tree)
        self._is_iterating = "iter" not in self._bound_names and not begins_anew(nodes)
        if self._generators or calls_back(nodes) or "itertools.tee" in library.values():
            free = {"zip", "enumerate"} - self._bound_names
            self._library |= {name: f"builtins.{name}" for name in sorted(free)}
            makers = [text for text, known in self._library.items() if known in OVER_GENERATORS]
            names = generator_names(nodes, self._generators, makers)
            self._generators |= names.given - names.looped  # a loop's variable may be something else elsewhere
        self._lines: dict[str, int] = {}
        """Where each helper is called first: the origin of its lines."""
        self._callees: dict[str, str] = {}
        """What the program calls there."""

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements of the module that take the place of one."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node = self.visit(node)
        cached = self._caches.get(node.name) if isinstance(node, ast.FunctionDef) else None
        if cached is None or not isinstance(node, ast.FunctionDef):
            return [node]
        return cached.written(node, self._fresh)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt | list[ast.stmt]:
        """The function; one that the library caches inside another function is written out there."""
        around, self._depth = self._depth, self._depth + 1
        self.generic_visit(node)
        self._depth = around
        cached = self._caches.get(node.name) if around else None
        return cached.written(node, self._fresh) if cached else node

    def helpers(self) -> list[ast.stmt]:
        """The functions that calls were replaced by."""
        found: list[ast.stmt] = []
        for name, own in self._used.items():
            source = HELPERS[name].source.replace("NAME", own).replace("CALLEE", self._callees[name])
            found += placed(ast.parse(source).body, self._lines[name])
        return found

    def visit_For(self, node: ast.For) -> ast.For:
        """The loop, over the members where it goes through an enum."""
        self._consumed.add(node.iter)
        self.generic_visit(node)
        node.iter = self._members(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """The same in a comprehension."""
        self._consumed.add(node.iter)
        self.generic_visit(node)
        node.iter = self._members(node.iter)
        return node

    def _members(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Name) or node.id not in self._enums:
            return node
        owner = ast.Name(node.id, ast.Load())
        members: list[ast.expr] = [ast.Attribute(owner, name, ast.Load()) for name in self._enums[node.id]]
        listed = ast.copy_location(ast.List(members, ast.Load()), node)
        return ast.fix_missing_locations(listed)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The call of a library function with a function of the program, as a call of the program's own."""
        match node:
            case ast.Call(
                func=ast.Name(id="map" | "filter"), args=[ast.Call(args=[ast.Constant(value=name)]) as held, _]
            ):
                if self._library.get(ast.unparse(held.func)) == "operator.attrgetter":
                    # a loop shows no fields of its item
                    node.args[0] = getter(held, "operator.attrgetter", {str(name)})
        key_getter(node, self._library, self._mentioned)
        if sorts(node, self._mentioned) and isinstance(node.func, ast.Name):
            key_parameter(node, self._parameters)
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called in _CONSUMING - self._bound_names and (len(node.args) == 1 or (called == "sum" and node.args)):
            node.args[0] = self._taken_at_once(node.args[0])
        if isinstance(node.func, ast.Name | ast.Attribute) and self._library.get(ast.unparse(node.func)) in _LAZY:
            node.args = [self._kept(each) for each in node.args]
        self.generic_visit(node)
        if (asked := asked_cache(node, self._caches)) is not None:
            return asked
        if called == "list" and len(node.args) == 1 and (listed := self._members(node.args[0])) is not node.args[0]:
            return listed
        if called in CONSUMERS - self._bound_names - {"len"}:
            node.args = [self._members(each) for each in node.args]
        name = self._library.get(ast.unparse(node.func)) if isinstance(node.func, ast.Name | ast.Attribute) else None
        if self._adds_amounts(node):
            name = "builtins.sum of amounts"
        if name in GETTERS:
            return getter(node, name, self._properties)
        matching = with_pattern(node, name, self._functions)
        if matching is not None:
            name, searched = matching
            if name == "re.sub" and not self._is_own(searched.args[1]):
                return node
            node = searched
        elif name in MATCHING:
            return node
        if name in BEST_BY_KEY and len(node.args) == 2 and not node.keywords and self._is_lazy(node.args[1]):
            return self._helped(node, f"{name} of a generator")
        if (name in BY_KEY or name in BEST_BY_KEY) and [word.arg for word in node.keywords] == ["key"]:
            return self._helped(node, f"{name} by key") if self._is_own(node.keywords[0].value) else node
        return node if name is None or name not in HELPERS else self._helped(node, name)

    def _helped(self, node: ast.Call, name: str) -> ast.expr:
        """The call of a helper in place of the library's; the same call where it must stay."""
        if name == "functools.partial":
            mine = bool(node.args) and (self._is_own(node.args[0]) or self._may_be_own(node.args[0]))
            name = partial_helper(node, self._asked_parts, by_name=self._calls_by_name and mine)
        if name == "collections.Counter" and node.args and isinstance(node.args[0], ast.GeneratorExp):
            if KEYS_IN_MESSAGES:
                return node
            name += " of a generator"
        if name not in HELPERS or not self._fits(node, name) or not self._helps(node, name):
            return node
        helper = HELPERS[name]
        self._lines.setdefault(name, node.lineno)
        self._callees.setdefault(name, ast.unparse(node.func))
        if name not in self._used:
            self._used[name] = self._fresh(f"_{name.rpartition('.')[2].partition(' ')[0]}")
        own = self._used[name]
        if "yield" in helper.source and name != "itertools.tee":  # that one gives a tuple of generators
            self._generators.add(own)
        places = range(len(node.args)) if helper.iterated == -1 else (helper.iterated,)
        given = [_iterated(each) if place in places else each for place, each in enumerate(node.args)]
        called = ast.Call(ast.Name(own, ast.Load()), given, node.keywords)
        return ast.fix_missing_locations(ast.copy_location(called, node))

    def _fits(self, node: ast.Call, name: str) -> bool:
        """Whether the helper takes the arguments as the library does, and means by its names what it should."""
        helper, named = HELPERS[name], {keyword.arg for keyword in node.keywords}
        starred = any(isinstance(each, ast.Starred) for each in node.args)
        if not node.args or None in named or not (named <= set(helper.parameters) or name.endswith("with names")):
            return False
        if helper.counts and (starred or len(node.args) not in helper.counts):
            return False
        if helper.iterated is not None and (starred or not self._is_iterating):
            return False
        return not (builtins_of(helper.source) & self._bound_names or helper.lacking & self._mentioned)

    def _helps(self, node: ast.Call, name: str) -> bool:
        """Whether the loop is worth its lines: the library would call the program, or go through a whole container."""
        if name in OWN_FUNCTION:
            return self._is_own(node.args[0]) or self._may_be_own(node.args[0])
        if name in _FOLDING:
            return self._may_fold(node, name)
        if name in OVER_GENERATORS:
            return any(self._is_generator(each) or isinstance(each, ast.GeneratorExp) for each in node.args)
        return name not in PLAIN_CONTAINERS or not self._is_lazy(node.args[0])

    def _is_lazy(self, node: ast.expr) -> bool:
        """Whether a value is an iterator, as far as the line shows: another rule goes through it, or none can."""
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.GeneratorExp) or self._is_generator(node)
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        known = self._library.get(ast.unparse(node.func), "")
        return called in _ITERATORS or known.startswith("itertools.") or self._is_generator(node)

    def _adds_amounts(self, node: ast.Call) -> bool:
        """Whether a sum begins with a fraction, a decimal or a time span; its start then stands in its place."""
        match node:
            case ast.Call(func=ast.Name(id="sum"), args=[_], keywords=[ast.keyword(arg="start", value=start)]):
                pass
            case ast.Call(func=ast.Name(id="sum"), args=[_, start], keywords=[]):
                pass
            case _:
                return False
        made = self._library.get(ast.unparse(start.func)) if isinstance(start, ast.Call) else None
        if made not in AMOUNTS or "sum" in self._bound_names:
            return False
        node.args, node.keywords = [node.args[0], start], []
        return True

    def _taken_at_once(self, node: ast.expr) -> ast.expr:
        """An iterable whose items a builtin takes at once, written as a generator where that helps."""
        self._consumed.add(node)
        node = arranged(node, self._library)
        return node if {"map", "zip"} & self._bound_names else operator_map(node, self._library)

    def _may_fold(self, node: ast.Call, name: str) -> bool:
        """Whether a loop takes the place of `reduce` or `accumulate`; a function of `operator` becomes a lambda."""
        place = _FOLDING[name]
        for index, each in enumerate(node.args[place : place + 1]):
            node.args[place + index] = operator_lambda(each, self._library)
        given = [*node.args[place : place + 1], *[word.value for word in node.keywords if word.arg == "func"]]
        if any(isinstance(each, ast.Name) and each.id in self._imported for each in given):
            return False  # no rule knows what an imported name stands for
        if name == "functools.reduce" or node in self._consumed:
            return True
        return any(map(self._is_own, given)) or self._is_generator(node.args[0])

    def _is_own(self, function: ast.expr) -> bool:
        return isinstance(function, ast.Lambda) or (isinstance(function, ast.Name) and function.id in self._functions)

    def _may_be_own(self, function: ast.expr) -> bool:
        """Whether a value that is called later may be the program's: a method, a class, or what a caller gives."""
        match function:
            case ast.Attribute(attr=name):
                return name in self._functions
            case ast.Name(id=name):
                return name in self._made or name in self._parameters
        return False

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """The line; a list that a generator of the program extends gets its items one by one."""
        self.generic_visit(node)
        found = extension(node)
        if found is None or not self._is_generator(found[1]) or "extend" in self._functions:
            return node
        return appended(node, found[0], found[1], self._fresh("_extended"))

    def _kept(self, node: ast.expr) -> ast.expr:
        free = not {"map", "filter"} & self._bound_names
        return kept_map(node, self._named_once, self._stopping) if free else node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """The assignment; a name that is given a generator of the program counts as one."""
        match node.targets:
            case [ast.Name(id=name)] if name in self._iterated and self._kept(node.value) is not node.value:
                node.value = self._kept(node.value)
                self._generators.add(name)
        self.generic_visit(node)
        made = isinstance(node.value, ast.Call) and self._is_generator(node.value)
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            made = made and node.value.func.id not in self._parameters  # which may be another function
        made = made or isinstance(node.value, ast.GeneratorExp)
        if made and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple | ast.List):
            node.value = self._unpacked(node.targets[0].elts, node.value)
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == self._used.get("itertools.tee"):
            self._generators |= {each.id for each in nodes_of(node.targets[0]) if isinstance(each, ast.Name)}
        if self._is_generator(node.value):
            self._generators |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        return node

    def _unpacked(self, targets: list[ast.expr], value: ast.expr) -> ast.expr:
        """The items of a generator that an assignment takes apart, in a list: all, or one more than targets."""
        if {"list", "len"} & self._bound_names:
            return value
        if any(isinstance(each, ast.Starred) for each in targets):
            return ast.copy_location(ast.Call(ast.Name("list", ast.Load()), [value], []), value)
        name = "unpacked generator"
        self._lines.setdefault(name, value.lineno)
        self._callees.setdefault(name, "")
        own = self._used.setdefault(name, self._fresh("_unpacked"))
        made = ast.Call(ast.Name(own, ast.Load()), [value, ast.Constant(len(targets))], [])
        return ast.fix_missing_locations(ast.copy_location(made, value))

    def _is_generator(self, node: ast.expr) -> bool:
        """Whether a value is certainly a generator of the program, or a name that is given one."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            iterated = node.func.id == "iter" and node.args
            return self._is_generator(node.args[0]) if iterated else node.func.id in self._generators
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return node.func.attr in self._generator_methods
        return isinstance(node, ast.Name) and node.id in self._generators and node.id not in self._functions

    def _fresh(self, name: str) -> str:
        name = fresh_name(name, self._identifiers)
        self._identifiers.add(name)
        return name


def _iterated(argument: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name("iter", ast.Load()), [argument], []), argument)

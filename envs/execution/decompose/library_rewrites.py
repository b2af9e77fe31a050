"""Library functions that would call functions of the program from C, written in Python: their calls become steps.

    @functools.cache                    a dict of the module, and a function that looks there first
    reduce(lambda a, b: a * b, xs)      a function behind the program, with a loop
    partial(scale, 2)                   a function that holds what is given
    for color in Color                  a loop over the list of the enum's members

The program behaves as before, but for what can be asked of a cache (`cache_info`), which leaves it as it is. A call
with functions of Python's own (`reduce(max, xs)`) stays one line. Knows no line numbers but those of the source.
"""

import ast
from collections.abc import Iterator

from envs.execution.syntax.classes.library_classes import library_classes
from envs.execution.syntax.program_structure import nodes_of

_HELPERS = {
    "functools.reduce": """
def NAME(function, items, *start):
    turns = iter(items)
    if start:
        total = start[0]
    else:
        try:
            total = next(turns)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value") from None
    for item in turns:
        total = function(total, item)
    return total
""",
    "functools.partial": """
def NAME(function, *given):
    def call(*more):
        return function(*given, *more)
    return call
""",
}
_CACHED = """
CACHE = {}
def NAME():
    if KEY in CACHE:
        return CACHE[KEY]
    result = BODY
    CACHE[KEY] = result
    return result
"""
_CACHES = ("functools.cache", "functools.lru_cache")


def with_own_calls(tree: ast.Module) -> ast.Module:
    """The program with such library functions written out; the same tree where there is none."""
    library, enums = _library_names(tree), library_classes(tree).enums
    if not library and not enums:
        return tree
    rewriting = _Rewriting(tree, library, {name: tuple(facts.members) for name, facts in enums.items()})
    body = [part for statement in tree.body for part in rewriting.statement(statement)]
    return ast.fix_missing_locations(ast.Module([*body, *rewriting.helpers()], tree.type_ignores))


def _library_names(tree: ast.Module) -> dict[str, str]:
    """The functions above by the text under which the program knows them, but for names that it binds otherwise."""
    wanted = (*_HELPERS, *_CACHES)
    found: dict[str, str] = {}
    for statement in tree.body:
        match statement:
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                found |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in aliases}
            case ast.Import(names=aliases):
                for alias in aliases:
                    owner = alias.asname or alias.name
                    found |= {
                        f"{owner}.{name.partition('.')[2]}": name for name in wanted if name.startswith(alias.name)
                    }
    found = {text: name for text, name in found.items() if name in wanted}
    bound = set(_bound(tree)) if found else set()
    return {text: name for text, name in found.items() if text.partition(".")[0] not in bound}


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that are bound by anything else than an import."""
    for node in nodes_of(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name


class _Rewriting(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, tree: ast.Module, library: dict[str, str], enums: dict[str, tuple[str, ...]]) -> None:
        self._library = library
        self._enums = enums
        nodes = nodes_of(tree)
        self._identifiers = {node.id for node in nodes if isinstance(node, ast.Name)} | set(_bound(tree))
        self._functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self._asked = {
            node.value.id for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }
        self._used: dict[str, str] = {}
        self._last = max((getattr(node, "end_lineno", None) or 1 for node in tree.body), default=1)

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements of the module that take the place of one."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node = self.visit(node)
        return self._cached(node) if isinstance(node, ast.FunctionDef) and self._is_cached(node) else [node]

    def helpers(self) -> list[ast.stmt]:
        """The functions that calls were replaced by."""
        found: list[ast.stmt] = []
        for name, own in self._used.items():
            found += _placed(ast.parse(_HELPERS[name].replace("NAME", own)).body, self._last)
        return found

    def visit_For(self, node: ast.For) -> ast.For:
        """The loop, over the members where it goes through an enum."""
        self.generic_visit(node)
        node.iter = self._members(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """The same in a comprehension."""
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
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="list"), args=[ast.Name(id=given) as enum], keywords=[]):
                return self._members(enum) if given in self._enums else node
        name = self._library.get(ast.unparse(node.func)) if isinstance(node.func, ast.Name | ast.Attribute) else None
        if name not in _HELPERS or node.keywords or not node.args or not self._is_own(node.args[0]):
            return node
        own = self._used.setdefault(name, self._fresh(f"_{name.partition('.')[2]}"))
        return ast.copy_location(ast.Call(ast.copy_location(ast.Name(own, ast.Load()), node), node.args, []), node)

    def _is_own(self, function: ast.expr) -> bool:
        return isinstance(function, ast.Lambda) or (isinstance(function, ast.Name) and function.id in self._functions)

    def _fresh(self, name: str) -> str:
        while name in self._identifiers:
            name += "_"
        self._identifiers.add(name)
        return name

    def _is_cached(self, node: ast.FunctionDef) -> bool:
        """Whether a function is only cached, takes plain parameters, and is asked nothing else than to be called."""
        if len(node.decorator_list) != 1 or node.name in self._asked:
            return False
        decorator = node.decorator_list[0]
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        given = node.args
        plain = given.args and not (given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg)
        return bool(plain) and self._library.get(ast.unparse(made)) in _CACHES

    def _cached(self, node: ast.FunctionDef) -> list[ast.stmt]:
        names = [argument.arg for argument in node.args.args]
        inner, cache = self._fresh(f"_{node.name}"), self._fresh(f"_{node.name}_cache")
        key = names[0] if len(names) == 1 else f"({', '.join(names)})"
        text = _CACHED.replace("CACHE", cache).replace("NAME", node.name)
        text = text.replace("KEY", key).replace("BODY", f"{inner}({', '.join(names)})")
        result = self._fresh("result") if "result" in names else "result"
        made = _placed(ast.parse(text.replace("result", result)).body, node.lineno)
        wrapper = made[-1]
        assert isinstance(wrapper, ast.FunctionDef)
        wrapper.args = node.args
        bare = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        body = ast.copy_location(ast.FunctionDef(inner, bare, node.body, [], node.returns), node)
        return [*made, *_placed([body], None)]


def _placed(statements: list[ast.stmt], line: int | None) -> list[ast.stmt]:
    """Statements on a line of the source: theirs is the origin of what they become."""
    for statement in statements:
        for part in ast.walk(statement) if line is not None else ():
            if hasattr(part, "lineno"):
                part.lineno = part.end_lineno = line  # type: ignore[attr-defined]
        ast.fix_missing_locations(statement)
    return statements

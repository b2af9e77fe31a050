"""Calls that go through a generator of the program at once, in C, written so that a loop of the program does so.

    mean(x.price for x in items)    ->      mean(list(x.price for x in items))
    Version(*map(int, parts))       ->      Version(*list(map(int, parts)))
    [first, *rows(table)]           ->      [first, *list(rows(table))]
    found.extend(rows(table))       ->      _extended(found, rows(table))
    counts.update(w for w in words) ->      _updated(counts, (w for w in words))
    lines += rows(table)            ->      lines = _added(lines, rows(table))
    writer.writerows(rows(table))   ->      _written_rows(writer, rows(table))

A function that takes all items before it does anything else gets a list. `extend` and `update` add item by item, which
an exception in the middle shows, so they become loops; of pairs for a dict only where the program writes the pairs. The
helpers look at the exact type of the container and leave any other to Python. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.callback_rewrites import generator_functions, generator_methods
from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, in_front, placed
from envs.execution.syntax.generator_names import generator_names
from envs.execution.syntax.name_scopes import BUILTINS
from envs.execution.syntax.program_structure import nodes_of

_FIRST = frozenset(
    {
        *(f"statistics.{name}" for name in "mean fmean median median_low median_high mode multimode".split()),
        *(f"statistics.{name}" for name in "stdev pstdev variance pvariance geometric_mean harmonic_mean".split()),
        *("math.prod", "math.fsum", "collections.deque", "collections.OrderedDict"),
        *(f"itertools.{name}" for name in "permutations combinations combinations_with_replacement product".split()),
    }
)
"""Functions that take all items of their first argument."""
_SECOND = frozenset({"collections.defaultdict"})
_WANTED = (*_FIRST, *_SECOND, "collections.Counter")
_METHODS = frozenset({"fromkeys", "union", "difference", "symmetric_difference", "issubset"})
_ITERATORS = frozenset({"map", "filter", "zip", "enumerate", "reversed"})
_EXTENDED = """
def NAME(held, items):
    if (type(held) is list OR_DEQUE) and items is not held:
        for item in items:
            held.append(item)
    else:
        held.extend(items)
"""
_ADDED = """
def NAME(held, items):
    if type(held) is list and items is not held:
        for item in items:
            held.append(item)
    else:
        held += items
    return held
"""
_UPDATED = """
def NAME(held, items):
    if type(held) is set:
        for item in items:
            held.add(item)
    OR_COUNTER
    else:
        held.update(items)
"""
_PAIRS = """    if type(held) is dict:
        for key, value in items:
            held[key] = value
    elif type(held) is set:"""
_UPDATED_PAIRS = _UPDATED.replace("    if type(held) is set:", _PAIRS)
_COUNTING = """elif type(held) is COUNTER and not isinstance(items, dict):
        for item in items:
            held[item] += 1"""
_WRITTEN = """
def NAME(writer, rows):
    for row in rows:
        writer.writerow(row)
"""
_SOURCES = {
    "extended": _EXTENDED,
    "added": _ADDED,
    "written_rows": _WRITTEN,
    "updated": _UPDATED,
    "updated_pairs": _UPDATED_PAIRS,
}


@rewriting({ast.Yield, ast.YieldFrom, ast.GeneratorExp, ast.Starred})
def with_eager_consumers(tree: ast.Module) -> ast.Module:
    """The program with such calls replaced; the same tree where it has none."""
    nodes = nodes_of(tree)
    if not any(map(_may_consume, nodes)) and not library_functions(tree, _WANTED):
        return tree
    spread = any(isinstance(node, ast.Starred) and _is_iterator(node.value) for node in nodes)
    if not spread and not generator_functions(tree) and not any(isinstance(node, ast.GeneratorExp) for node in nodes):
        return tree
    if hides_names(tree) or {"list", "type", "set", "dict", "isinstance"} & rebound_builtins(tree):
        return tree
    rewriting = _Consumers(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    return in_front(tree, rewriting.helpers())


def _may_consume(node: ast.AST) -> bool:
    """Whether it is a call, a star or a sum that may go through a generator; most programs have none."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _METHODS or name in ("extend", "update", "writerows")
        case ast.Starred() | ast.AugAssign(op=ast.Add(), value=ast.Call() | ast.GeneratorExp() | ast.Name()):
            return True
    return False


def _only_reads(later: list[ast.expr]) -> bool:
    """Whether the later arguments run nothing, which they would do before the items are taken."""
    return all(isinstance(each, ast.Constant | ast.Name | ast.Attribute) for each in later)


class _Consumers(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = nodes_of(tree)
        self._library = library_functions(tree, _WANTED)
        self._own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self._lazy, self._methods = generator_functions(tree), generator_methods(tree)
        self._names = generator_names(nodes, self._lazy)
        self._taken, self._rebound = occurring_names(tree), rebound_builtins(tree)
        self._plain = (BUILTINS - self._rebound) | set(self._library)
        """What is called in C: it spreads iterators itself."""
        self._used: dict[str, tuple[str, int]] = {}
        """Of each helper: its name, and the line that calls it first."""

    def helpers(self) -> list[ast.stmt]:
        """The functions that calls were replaced by."""
        return [part for kind, (name, line) in self._used.items() for part in self._written(kind, name, line)]

    def _written(self, kind: str, name: str, line: int) -> list[ast.stmt]:
        known = {meaning: text for text, meaning in self._library.items()}
        deque, counter = known.get("collections.deque"), known.get("collections.Counter")
        counting = _COUNTING.replace("COUNTER", counter) if counter else ""
        either = f"or type(held) is {deque}" if deque else ""
        return placed(ast.parse(filled(_SOURCES[kind], NAME=name, OR_DEQUE=either, OR_COUNTER=counting)).body, line)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if any(isinstance(each, ast.Starred) for each in node.args):
            self._spread(node)
            return node
        meaning = self._library.get(ast.unparse(node.func)) if isinstance(node.func, ast.Name | ast.Attribute) else None
        if meaning in _FIRST or meaning in _SECOND:
            at = int(meaning in _SECOND)
            if _only_reads([*node.args[at + 1 :], *(each.value for each in node.keywords)]):
                self._list(node, at)
            return node
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[_, *_]) if name in _METHODS - self._own:
                self._list(node, 0)
            case ast.Call(func=ast.Attribute(value=held, attr="extend"), args=[items], keywords=[]):
                if not {"extend", "append"} & self._own and self._is_lazy(items):
                    return self._helped("extended", node, [held, items])
            case ast.Call(func=ast.Attribute(value=held, attr="writerows"), args=[items], keywords=[]):
                if not {"writerows", "writerow"} & self._own and self._is_lazy(items):
                    return self._helped("written_rows", node, [held, items])
            case ast.Call(func=ast.Attribute(value=held, attr="update"), args=[items], keywords=[]):
                if "update" not in self._own and self._is_lazy(items):
                    return self._helped("updated_pairs" if _gives_pairs(items) else "updated", node, [held, items])
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.Starred:
        """What a display or a call spreads out; a generator is gone through where it stands."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and self._is_lazy(node.value):
            node.value = _listed(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """The statement; a variable or field that a generator is added to gets its items one by one."""
        self.generic_visit(node)
        plain = isinstance(node.target, ast.Name) or (
            isinstance(node.target, ast.Attribute) and isinstance(node.target.value, ast.Name)
        )
        if not plain or not isinstance(node.op, ast.Add) or not self._is_lazy(node.value):
            return node
        held = ast.parse(ast.unparse(node.target), mode="eval").body
        called = self._helped("added", node, [held, node.value])
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([node.target], called), node))

    def _spread(self, node: ast.Call) -> None:
        """Let a function of the program have a list in the place of an iterator that its call spreads out.

        A lone `*iterable` is spread after the arguments by name were evaluated, so these must be plain.
        """
        plain = all(isinstance(word.value, ast.Name | ast.Constant) for word in node.keywords)
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if plain and called not in self._plain and not self._rebound & _ITERATORS:
            for each in node.args:
                if isinstance(each, ast.Starred) and _is_iterator(each.value):
                    each.value = _listed(each.value)

    def _list(self, node: ast.Call, place: int) -> None:
        """Let the call have a list in the place of a generator."""
        if len(node.args) > place and self._is_lazy(node.args[place]):
            node.args[place] = _listed(node.args[place])

    def _is_lazy(self, node: ast.expr) -> bool:
        """Whether a value is a generator of the program, or a name for what may be one."""
        match node:
            case ast.GeneratorExp():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return name in self._lazy
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in self._methods
            case ast.Name(id=name):
                return name in self._names.given and name not in self._own
            case ast.Attribute(attr=name):
                return name in self._names.attributes
        return False

    def _helped(self, kind: str, node: ast.Call | ast.AugAssign, given: list[ast.expr]) -> ast.expr:
        if kind not in self._used:
            name = fresh_name(f"_{kind}", self._taken)
            self._taken.add(name)
            self._used[kind] = name, node.lineno
        called = ast.Call(ast.Name(self._used[kind][0], ast.Load()), given, [])
        return ast.fix_missing_locations(ast.copy_location(called, node))


def _is_iterator(node: ast.expr) -> bool:
    """Whether it is a call of a builtin that makes an iterator, or of a dict's method that gives a view."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _ITERATORS
        case ast.Call(func=ast.Attribute(attr="values" | "keys" | "items"), args=[], keywords=[]):
            return True
    return False


def _listed(node: ast.expr) -> ast.expr:
    made = ast.Call(ast.Name("list", ast.Load()), [node], [])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _gives_pairs(node: ast.expr) -> bool:
    """Whether it is a generator expression of pairs that are written out."""
    element = node.elt if isinstance(node, ast.GeneratorExp) else None
    plain = isinstance(element, ast.Tuple) and not any(isinstance(each, ast.Starred) for each in element.elts)
    return plain and isinstance(element, ast.Tuple) and len(element.elts) == 2

"""Builtins that may run operators of the program's own objects from C, written as calls of functions of the program.

    cards.sort()          a function that compares as Python's sort does, each `<` a step
    sum(vectors, zero)    a loop of additions
    max(cards), max(a, b, c), min(cards, default=None), sorted(card for card in hand)
    heapq.heappush(heap, task), bisect.insort(tasks, task)
    sorted(xs, key=cmp_to_key(f)), max(xs, key=cmp_to_key(f))
    point in points       a loop of comparisons, as are index, count and remove
    sorted(tree)          sorted(listed(tree)), where a tree is an object with `__iter__`

The functions ask whether an item is such an object, which rules decide, and leave anything else to Python. Calls with a
key are not their matter (`rules/key_functions.py`). A program whose classes have no such operators stays as it is.
"""

import ast
import re
from collections.abc import Collection, Iterable

from envs.execution.decompose.rewrites.keys.compared_calls import compared_call
from envs.execution.decompose.rewrites.library_names import (
    AMOUNTS,
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
)
from envs.execution.decompose.rewrites.objects.operand_forms import is_plain, leaves_open, may_compute, reverse_of
from envs.execution.decompose.rewrites.operator_helpers import OPERATOR_HELPERS
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed, runs_before, without_identity
from envs.execution.syntax.bindings import binds
from envs.execution.syntax.classes.member_names import member_names
from envs.execution.syntax.classes.own_classes import OwnClasses, own_classes
from envs.execution.syntax.classes.own_iterators import begins_anew
from envs.execution.syntax.generator_names import generator_names
from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.passed_generators import passed_generators
from envs.execution.syntax.program_structure import nodes_of

_GROUPS = {
    "ordered": ("__lt__", "__gt__"),
    "added": ("__add__", "__radd__"),
    "equal": ("__eq__",),
    "iterated": ("__iter__", "__getitem__"),
}
"""Operators by what they do; a class belongs to a group if it writes one of them."""
_OF_HELPER = {
    **dict.fromkeys(("listed", "unpacked", "any", "all", "enumerate", "zip", "zip anew"), "iterated"),
    **dict.fromkeys(("sum", "sum from", "sum all"), "added"),
    "searched": "searched",
    **dict.fromkeys(("contains", "index", "count", "remove"), "equal"),
}
_LISTING = frozenset("list sum sorted max min tuple set frozenset dict Counter deque".split())
"""Functions that go through an iterable at once, whatever it holds."""
_KEYS = frozenset({"keys", "__getattr__", "__getattribute__"})
_ADDING = frozenset({"extend", "join", "update"})
_HEAPS = (
    *(f"heapq.{name}" for name in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop")),
    *(f"bisect.{name}" for name in ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right")),
)
_COMPARER = "functools.cmp_to_key"
_OWN_TEST = re.compile(r"is_own\(([^()]*)\)")
_USED = frozenset({"isinstance", "list", "len", "any", "all", "sum", "max", "min", "sorted", "repr", "zip", "tuple"})


@rewriting({ast.ClassDef, "functools"}, {"functools", *(name for names in _GROUPS.values() for name in names)})
def with_own_operators(tree: ast.Module) -> ast.Module:
    """The program with such calls replaced; the same tree where no class has such operators."""
    classes = own_classes(tree)
    groups = {name: _roots(classes, methods) for name, methods in _GROUPS.items()} if classes.classes else {}
    groups["iterated"] = tuple(name for name in groups.get("iterated", ()) if _is_iterated(classes, name))
    groups["searched"] = tuple(name for name in groups["iterated"] if _is_searched(classes, name))
    groups = {name: owners for name, owners in groups.items() if owners}
    if not groups and not library_functions(tree, [_COMPARER]):
        return tree
    if hides_names(tree) or runs_before(tree, {owner for owners in groups.values() for owner in owners}):
        return tree
    rewriting = _Operators(tree, groups)
    if rewriting.bound & _USED or rewriting.imported & _USED:
        return tree
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    return in_front(tree, rewriting.helpers())


def _roots(classes: OwnClasses, methods: Iterable[str]) -> tuple[str, ...]:
    """The classes that write one of some methods, but for those that derive from another of them."""
    found = [
        name
        for name, each in classes.classes.items()
        if not each.odd and any((member := classes.find(name, method)) and member.key for method in methods)
    ]
    return tuple(name for name in found if not set(classes[name].lineage[1:]) & set(found))


def _is_iterated(classes: OwnClasses, name: str) -> bool:
    """Whether going through an object runs the program; a list or a dict asks no `__getitem__` of its subclass."""
    return not classes[name].container or classes.find(name, "__iter__") is not None


def _is_searched(classes: OwnClasses, name: str) -> bool:
    """Whether `in` goes through an object; a list or a dict has a `__contains__` of its own."""
    return not classes[name].container and classes.find(name, "__contains__") is None


class _Operators(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, tree: ast.Module, groups: dict[str, tuple[str, ...]]) -> None:
        nodes = nodes_of(tree)
        stored = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        self.bound = {*stored, *(name for node in nodes if not isinstance(node, ast.alias) for name in binds(node))}
        self.bound -= member_names(nodes)
        self.imported = {name for node in nodes if isinstance(node, ast.alias) for name in binds(node)}
        self._names = occurring_names(tree)
        self._functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        library = library_functions(tree, [*_HEAPS, _COMPARER, *AMOUNTS])
        self._amounts = {text for text, name in library.items() if name in AMOUNTS}
        kept = "bisect." if any(map(leaves_open, nodes)) else "-"
        heaps = {text: name for text, name in library.items() if name in _HEAPS and not name.startswith(kept)}
        self._heaps = {text: name.partition(".")[2] for text, name in heaps.items()}
        self._comparers = {text for text, name in library.items() if name == _COMPARER}
        lazy = passed_generators(
            nodes, {each.name for each in nodes if isinstance(each, ast.FunctionDef) and _yields(each)}
        )
        self._generators = lazy | generator_names(nodes, lazy).given
        """What other rules consume as generators of the program."""
        attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        self._has_mappings = not _KEYS.isdisjoint(self._names | attributes | texts)
        """Whether an object of the program may have keys, by which it would be copied."""
        self._begins_anew = begins_anew(nodes)
        self._groups = groups
        self._iterated = groups.get("iterated", ())
        self._steady = {name for name in self._iterated if own_classes(tree).find(name, "__next__") is None}
        """Classes of objects that are no iterators: to be asked for an iterator does nothing to them."""
        self._objects: set[str] = set()
        """Names of the function being rewritten that are bound to nothing but new objects which can be gone through."""
        self._used: dict[str, tuple[str, int, str]] = {}
        """Of each helper: its name, the line that calls it first, and what it takes the place of."""

    def helpers(self) -> list[ast.stmt]:
        """The functions that calls were replaced by."""
        found: list[ast.stmt] = []
        for kind, (name, line, callee) in self._used.items():
            owners = self._groups.get(_OF_HELPER.get(kind, "ordered"), ())
            source = OPERATOR_HELPERS[kind].replace("NAME", name).replace("CALLEE", callee)
            if kind == "searched":
                source = without_identity(source, self._names)
            source = _OWN_TEST.sub(lambda match, owners=owners: _test(match[1], owners), source)  # type: ignore[misc]
            found += placed(ast.parse(source).body, line)
        return found

    def visit_For(self, node: ast.For) -> ast.For:
        """A loop; one over `enumerate` or `zip` of objects of the program goes through a generator."""
        self.generic_visit(node)
        node.iter = self._lazy(node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """The same in a comprehension."""
        self.generic_visit(node)
        node.iter = self._lazy(node.iter)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """An assignment; one to several targets takes the items of an object: all, or one more than targets."""
        self.generic_visit(node)
        target = node.targets[0]
        targets = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        if any(isinstance(each, ast.Starred) for each in targets):
            if not self._begins_anew or (isinstance(node.value, ast.Call) and self._is_made(node.value, self._steady)):
                node.value = self._listed(node.value)
        elif targets and (self._is_made(node.value, self._iterated) or may_compute(node.value)):
            node.value = self._called("unpacked", node.value, [node.value, ast.Constant(len(targets))])
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function, with the names that are bound to nothing but new objects which can be gone through."""
        around, self._objects = self._objects, self._made_names(node)
        self.generic_visit(node)
        self._objects = around
        return node

    def _made_names(self, node: ast.FunctionDef) -> set[str]:
        inside = own_nodes(node)
        stored = [each.id for each in inside if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)]
        stored += [name for each in inside if not isinstance(each, ast.Name) for name in binds(each)]
        stored += [each.arg for each in nodes_of(node.args) if isinstance(each, ast.arg)]
        made = {
            each.targets[0].id
            for each in inside
            if isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and self._is_made(each.value, self._iterated)
        }
        return {name for name in made if stored.count(name) == 1}

    def _is_made(self, node: ast.expr, owners: Collection[str]) -> bool:
        """Whether a value surely is a new object of some classes that can be gone through, or a name for one."""
        if isinstance(node, ast.Name):
            return node.id in self._objects
        called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        return called in owners

    def _lazy(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id="enumerate"), args=[source], keywords=[]) if self._may_be_own(source):
                return self._called("enumerate", node, [source]) if "enumerate" not in self.bound else node
            case ast.Call(func=ast.Name(id="zip"), args=[first, second], keywords=[]):
                own = self._may_be_own(first) or self._may_be_own(second)
                kind = "zip anew" if self._begins_anew else "zip"
                return self._called(kind, node, [first, second]) if own and "zip" not in self.bound else node
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """`wanted in items`, as a call."""
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
            return node
        called = self._searched(node)
        if called is node or isinstance(node.ops[0], ast.In):
            return called
        return ast.copy_location(ast.UnaryOp(ast.Not(), called), node)

    def _searched(self, node: ast.Compare) -> ast.expr:
        """`wanted in items` where either may be an object of the program."""
        given = [node.left, node.comparators[0]]
        found = node if isinstance(node.left, ast.Constant) else self._called("contains", node, given)
        if "searched" not in self._groups or not self._may_be_own(given[1]):
            return found
        callee = f"{self._used['contains'][0]}(wanted, items)" if "contains" in self._used else "wanted in items"
        return self._called("searched", node, given, callee)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The call with what its operators need."""
        self.generic_visit(node)
        if any(isinstance(each, ast.Starred) for each in node.args):
            return node
        if (compared := self._compared(node)) is not None:
            return compared
        match node.func:
            case ast.Name(id=name) | ast.Attribute(attr=name) if (callee := ast.unparse(node.func)) in self._heaps:
                wanted = 1 if self._heaps[callee] in ("heappop", "heapify") else 2
                fits = len(node.args) == wanted and not node.keywords
                return self._called(self._heaps[callee], node, node.args, callee) if fits else node
            case ast.Name(id=name) if name not in self.bound:
                return self._builtin(node, name)
            case ast.Attribute(value=receiver, attr=name) if name not in self._functions:
                return self._method(node, receiver, name)
        return node

    def _compared(self, node: ast.Call) -> ast.expr | None:
        """An ordering by `cmp_to_key(function)`, as a function that calls the given one; None for any other call."""
        found = compared_call(node, self._comparers)
        if found is None or found.called in (self._functions if found.is_method else self.bound):
            return None
        return self._helper(found.kind, node, found.given, found.callee)

    def _builtin(self, node: ast.Call, name: str) -> ast.expr:
        if name in ("any", "all") and len(node.args) == 1 and self._may_be_own(node.args[0]):
            return self._called(name, node, node.args)
        if name in _LISTING and len(node.args) == 1:
            node.args[0] = self._lazy(node.args[0])
        if name in _LISTING and self._may_list(node, name):
            node.args[0] = self._listed(node.args[0])
        by_key = any(word.arg == "key" for word in node.keywords)
        if name in ("max", "min", "sorted") and len(node.args) == 1 and not by_key:
            node.args[0] = self._ordered(node.args[0], name)
        reverse = reverse_of(node)
        match name, len(node.args):
            case (("max" | "min"), 1) if [word.arg for word in node.keywords] == ["default"]:
                given = [node.args[0], node.keywords[0].value]
                return self._called(f"{name} or", node, given) if self._may_be_list(node.args[0]) else node
            case (("max" | "min"), 1) if not node.keywords and self._may_be_list(node.args[0]):
                return self._called(name, node, node.args)
            case (("max" | "min"), 3 | 4) if not node.keywords and not all(map(is_plain, node.args)):
                listed = ast.copy_location(ast.List(node.args, ast.Load()), node)
                return self._called(name, node, [listed])
            case (("max" | "min"), 2) if not node.keywords:
                return self._called(f"{name} of two", node, node.args)
            case "sorted", 1 if reverse is not None and self._may_be_list(node.args[0]):
                return self._called("sorted down" if reverse else "sorted", node, node.args)
            case "sum", 2 if isinstance(node.args[0], ast.GeneratorExp) and self._makes_sum(node.args[1]):
                return self._called("sum all", node, node.args)
            case "sum", (1 | 2) if not node.keywords and self._may_be_list(node.args[0]):
                return self._called("sum" if len(node.args) == 1 else "sum from", node, node.args)
            case "sum", 1 if [word.arg for word in node.keywords] == ["start"] and self._may_be_list(node.args[0]):
                return self._called("sum from", node, [*node.args, node.keywords[0].value])
        return node

    def _ordered(self, node: ast.expr, name: str) -> ast.expr:
        """What a function puts in order, as a list where its items may be objects and it is none.

        Only `sorted` has all items before it compares the first two, so a generator stays one elsewhere.
        """
        match node:
            case ast.Call(func=ast.Attribute(attr="values"), args=[], keywords=[]) if "values" not in self._functions:
                pass
            case ast.Call() | ast.Name() | ast.GeneratorExp() if name == "sorted" and not self._may_be_list(node):
                if isinstance(node, ast.GeneratorExp) and is_plain(node.elt):
                    return node
            case _:
                return node
        if "ordered" not in self._groups:
            return node
        listed = ast.Call(ast.Name("list", ast.Load()), [node], [])
        return ast.fix_missing_locations(ast.copy_location(listed, node))

    def _may_list(self, node: ast.Call, name: str) -> bool:
        """Whether a list may stand for what the call goes through: no mapping, and nothing to see in between."""
        if len(node.args) == 2 and name == "sum":
            calls = [each for each in nodes_of(node.args[1]) if isinstance(each, ast.Call)]
            plain = all(isinstance(each, ast.Constant) for call in calls for each in call.args)
            return plain and not any(ast.unparse(call.func) in self._amounts for call in calls)
        return len(node.args) == 1 and not (name in ("dict", "Counter") and self._has_mappings)

    def _makes_sum(self, node: ast.expr) -> bool:
        """Whether it is a call of a class whose objects can be added."""
        named = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        return named in self._groups.get("added", ())

    def _method(self, node: ast.Call, receiver: ast.expr, name: str) -> ast.expr:
        reverse = reverse_of(node)
        if name == "sort" and not node.args and reverse is not None:
            return self._called("sort down" if reverse else "sort", node, [receiver])
        if name in ("index", "count", "remove") and len(node.args) == 1 and not node.keywords:
            plain = isinstance(node.args[0], ast.Constant | ast.JoinedStr) or isinstance(receiver, ast.Constant)
            return node if plain else self._called(name, node, [receiver, node.args[0]])
        if name in _ADDING and len(node.args) == 1 and not node.keywords:
            node.args[0] = self._listed(node.args[0])
        return node

    def _listed(self, node: ast.expr) -> ast.expr:
        return self._called("listed", node, [node]) if self._may_be_own(node) else node

    def _may_be_own(self, node: ast.expr) -> bool:
        """Whether a value may be an object of the program: a name, an attribute, or what its own functions give."""
        if isinstance(node, ast.Call):
            named = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            return named in self._functions and named not in self._generators
        named = node.id if isinstance(node, ast.Name) else ""
        return isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and named not in self._generators

    def _may_be_list(self, node: ast.expr) -> bool:
        """Whether a value may be a list; a generator is consumed by other rules."""
        named = node.func if isinstance(node, ast.Call) else node
        lazy = isinstance(named, ast.Name) and named.id in self._generators | {"map", "filter", "zip"}
        return not lazy and not isinstance(node, ast.GeneratorExp | ast.Constant | ast.Set | ast.Dict | ast.DictComp)

    def _called(self, kind: str, node: ast.expr, given: list[ast.expr], callee: str = "") -> ast.expr:
        """The call of a helper; the same node where no class of the program is its matter."""
        return self._helper(kind, node, given, callee) if _OF_HELPER.get(kind, "ordered") in self._groups else node

    def _helper(self, kind: str, node: ast.expr, given: list[ast.expr], callee: str) -> ast.expr:
        if kind not in self._used:
            name = fresh_name(f"_{kind.replace(' ', '_')}", self._names)
            self._names.add(name)
            self._used[kind] = name, node.lineno, callee
        called = ast.Call(ast.Name(self._used[kind][0], ast.Load()), list(given), [])
        return ast.fix_missing_locations(ast.copy_location(called, node))


def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in own_nodes(node))


def _test(value: str, owners: tuple[str, ...]) -> str:
    return f"({' or '.join(f'isinstance({value}, {owner})' for owner in owners)})"

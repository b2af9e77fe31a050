"""The question about a line: its text, the values it reads and all they reach, and nothing else.

The question also shows module variables where the line may run functions of the program. Knows no control flow and no
answer.
"""

import ast
import re
from collections.abc import Iterable

from envs.execution.state.effects import Question
from envs.execution.state.frames import Bindings, Frame
from envs.execution.state.value_grammar import (
    ImpossibleState,
    Unsupported,
    label_of,
    references,
    without_factory,
    without_held_functions,
)
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.hidden_attributes import check_attributes
from envs.execution.stepper.live_dicts import check_reading, owner_in_line, owner_of_fields
from envs.execution.stepper.name_lookup import LAZY, NameLookup
from envs.execution.stepper.objects.base_methods import BaseMethods, holds_key
from envs.execution.stepper.values.value_identity import check_identity
from envs.execution.stepper.values.value_rules import has_key
from envs.execution.syntax.bindings import imported_name, reads_of
from envs.execution.syntax.classes.library_classes import derived_classes, is_library_class
from envs.execution.syntax.classes.own_iterators import begins_anew
from envs.execution.syntax.inert_lines import (
    KEYS,
    asked_operators,
    calls_no_held_function,
    hashes_nothing,
    is_inert,
    keys_of,
    looked_up,
    moves_iterator,
    only_moves,
    unpacks_name,
)
from envs.execution.syntax.library.decimal_contexts import DecimalContexts
from envs.execution.syntax.library.library_caches import cached_methods
from envs.execution.syntax.library.unwritable_modules import unwritable_imports
from envs.execution.syntax.program_structure import nodes_of, nodes_of_program

_RUNNING = ("map(", "filter(", "generator(", "defaultdict(", "super(", "chain(", "islice(")
"""How objects are written that may run a function they hold when they are asked for an item."""
_PLAIN_FACTORY = re.compile(r"defaultdict\((?:None|list|int|set|dict|str|float|bool|tuple|deque|Counter|OrderedDict), ")
"""A `defaultdict` whose items no function of the program makes."""
_PAIRING = ("zip(", "enumerate(")
"""How those are written that run what they go through."""
_ITERATING = ("map(", "filter(", "zip(", "enumerate(", "chain(", "islice(", "zip_longest(")
_LOOKING = frozenset(
    "defaultdict dict list tuple len sorted iter sum max min set isinstance type enumerate str".split()
)
_BUILTIN = ("[", "{", "set(", "deque(", "Counter(", "OrderedDict(")
_CONTAINER_METHODS = frozenset(dir(list) + dir(dict) + dir(set) + ["appendleft", "popleft"])
_ORDERING_MODULES = frozenset({"heapq", "_heapq", "bisect", "_bisect"})
"""Modules whose functions only compare what they are given."""
_KEYED = re.compile(r"[{,] ?#\d+[:,}]")
"""An object as a key of a dict or an item of a set, whose equality a lookup may ask for."""


_PLAIN_KEYS = frozenset("0123456789-'\"")
"""How the text of a number or a string begins."""


class Questions:
    """The questions about one program; remembers which names each line reads."""

    def __init__(self, lines: list[str], names: NameLookup, variables: FrameVariables) -> None:
        self._lines = lines
        self._names = names
        self._variables = variables
        self._reads: dict[int, tuple[tuple[str, ...], bool]] = {}
        self._unwritable = unwritable_imports(names.module)
        self._decimals = DecimalContexts(names.module)
        classes = names.classes
        self._bases = BaseMethods(classes)
        self._runs_keys = any(classes.runs_code(name, KEYS) for name in classes.classes)
        """Whether handling some object as a key runs functions of the program."""
        classes_of_module = [each for each in names.module.body if isinstance(each, ast.ClassDef)]
        self._has_metaclasses = any(word.arg == "metaclass" for each in classes_of_module for word in each.keywords)
        derived = derived_classes(names.module, classes_of_module)
        self._library_classes = {each.name for each in classes_of_module if is_library_class(each)} | derived
        """Enums and named tuples, whose objects are written where they stand."""
        classes_anywhere = [each for each in nodes_of_program(names.module) if isinstance(each, ast.ClassDef)]
        self._enums = {each.name for each in classes_anywhere if is_library_class(each)} | derived
        """The same, also inside other classes."""
        self._begins_anew = begins_anew(nodes_of_program(names.module))
        self._cached_methods = cached_methods(names.module)
        self._inert: dict[tuple[int, str], frozenset[str] | None] = {}
        """The names that an inert line uses as keys; None for any other line."""

    def about(self, frame: Frame, builder: FrameBuilder, node: ast.AST) -> Question:
        """The question what the line that is about to run does."""
        reads = self._values_read(builder, node)
        check_attributes(node, lambda owner: self._variables.atom(builder, owner), self._is_function)
        self._check_hidden(builder, node)
        check_identity(
            node,
            lambda part: self._variables.atom(builder, part),
            lambda text: heap_text(text, builder.heap),
            self._enums,
        )
        if self._unwritable:
            self._check_modules(builder, reads)
        if self._decimals:
            self._check_decimals(node, reads, builder)
        values = tuple([(name, text) for name, text in reads if text != name or name in builder.locals])
        header = self._lines[builder.line - 1].strip()
        if all(map(self._names.is_plain, [text for _, text in reads])):
            return Question(header, builder.line, frame.function, values, heap=())
        heap = reachable((text for _, text in values), builder.heap)
        if self._begins_anew and any(self._is_over_object(text, builder.heap) for _, text in heap):
            raise Unsupported("an iterator over an object of the program that may begin anew")
        node = self._spelled_method(builder, node)
        inert = self._is_inert(builder, node, reads)
        if unpacks_name(node) and any(self._is_object(text, builder.heap) for _, text in reads):
            inert = False  # going through an object may run its class
        if inert and self._runs_keys and not hashes_nothing(node):
            inert = not any(_has_object_keys(text) for _, text in heap)
        run = self._run(builder, node, values)
        held = [text for _, text in heap]
        if any(text.startswith("defaultdict(") for text in held) and self._makes_nothing(builder, node):
            run = {label: without_factory(text) for label, text in run.items()}
            held = list(map(without_factory, held))
        if moves_iterator(node) and any(heap_text(text, builder.heap).startswith("generator(") for _, text in values):
            raise Unsupported("a generator that C code moves")
        quiet = self._is_quiet(node, inert=inert, texts=[*[text for _, text in values], *held], heap=builder.heap)
        if _pairs(node):
            quiet = quiet and not any(self._is_object(text, builder.heap) for _, text in reads)
        if unpacks_name(node):
            quiet = quiet and all(heap_text(text, builder.heap).startswith(("(", "[")) for _, text in reads)
        asked = self._asked(builder, node) if self._names.classes else None
        quiet = quiet or self._looks_key_up(builder, node) or self._looks_method_up(builder, node)
        if self._may_make_item(builder, node):
            inert, quiet, asked = False, False, None
        if any(self._is_key(text) for _, text in reads):
            keys = looked_up(node)
            reads = [row for row in reads if not (row[0] in keys and self._is_key(row[1]))]
        if calls_no_held_function(node):
            reads = [(name, without_held_functions(text)) for name, text in reads]
            run = {label: without_held_functions(text) for label, text in run.items()}
        calls_back = not quiet and any(self._names.calls_back(text, run, inert=inert, asked=asked) for _, text in reads)
        moves = any(self._names.moves_program(text) for text in run.values())
        runs = not quiet and any(self._names.runs_program(text, inert=inert, asked=asked) for text in run.values())
        shared = frame.globals if calls_back or moves or runs else ()
        if shared:
            heap = reachable((text for _, text in (*values, *shared)), builder.heap)
            run = dict(heap) | run
        texts = [*[text for _, text in reads], *run.values()]
        hidden = not quiet and any(self._names.runs_program(text, inert=inert, asked=asked) for text in texts)
        return Question(header, builder.line, frame.function, values, heap=heap, globals=shared, hidden=hidden)

    def _looks_key_up(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Whether the line asks if a dict of plain keys has a plain key: the dict's values do not matter."""
        match node:
            case ast.Assign(value=ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right])):
                content = heap_text(self._variables.atom(builder, right), builder.heap)
                key = self._variables.atom(builder, left)
                return content.startswith("{") and not _has_object_keys(content) and key[0] in _PLAIN_KEYS
        return False

    def _looks_method_up(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Whether the line asks a builtin container for a method: what it holds does not matter."""
        match node:
            case ast.Assign(targets=[ast.Name()], value=ast.Attribute(value=ast.Name() as held, attr=name)):
                known = heap_text(self._variables.atom(builder, held), builder.heap)
                return known.startswith(_BUILTIN) and name in _CONTAINER_METHODS
        return False

    def _may_make_item(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Whether the line asks an object for an item that its class makes where it is not there."""
        value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if not isinstance(value, ast.Subscript) or not self._names.classes:
            return False
        content = heap_text(self._variables.atom(builder, value.value), builder.heap)
        owner = content.partition("(")[0]
        if owner not in self._names.classes or self._names.classes.find(owner, "__missing__") is None:
            return False
        plain = isinstance(value.slice, ast.Name | ast.Constant)
        return not plain or not holds_key(content, self._variables.atom(builder, value.slice))

    def _asked(self, builder: FrameBuilder, node: ast.AST) -> frozenset[str] | None:
        """The special methods that a line may run of the objects it handles; None where it may run any."""
        found = self._bases.asked(node, lambda part: self._variables.atom(builder, part), builder.heap)
        return asked_operators(node) if found is None else found

    def _check_hidden(self, builder: FrameBuilder, node: ast.AST) -> None:
        """Raise Unsupported for a line that calls a cached method, or keeps the dict of an object."""
        for part in nodes_of(node) if self._cached_methods else ():
            if isinstance(part, ast.Attribute) and part.attr in self._cached_methods:
                line = self._names.origin(self._cached_methods[part.attr])
                raise Unsupported(f"the method {part.attr!r}, whose results the library caches (line {line})")
        if (changed := _changed_owner(node)) is not None:
            kind = self._variables.atom(builder, changed).partition("(")[0]
            if kind in self._library_classes:
                raise Unsupported(f"an attribute that a line sets in a member of {kind}, or in the class")
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._check_import(builder, node)
        self._check_replace(builder, node)
        self._check_method(builder, node)
        if owner_in_line(node) is not None:
            raise Unsupported("the dict of attributes of something else than an object of the program")
        if (owner := owner_of_fields(node)) is not None:
            content = heap_text(self._variables.atom(builder, owner), builder.heap)
            if content.partition("(")[0] in self._names.classes:
                check_reading(node, self._names.layout.functions[self._variables.key(builder)], self._names.temporaries)

    def _check_method(self, builder: FrameBuilder, node: ast.AST) -> None:
        """Raise Unsupported for a method in whose place a decorator that no rule knows may have put something else."""
        match node.value if isinstance(node, ast.Assign | ast.Expr) else None:
            case ast.Call(func=ast.Attribute(ast.Name() as held, attr)) | ast.Attribute(ast.Name() as held, attr):
                text = self._variables.atom(builder, held)
                owner = heap_text(text, builder.heap).partition("(")[0]
                known = self._names.classes.known(owner)
                member = None if known is None else self._names.classes.find(owner, attr)
                if member is not None and member.kind == "other" and member.key is not None:
                    raise Unsupported(f"{owner}.{attr}, which a decorator may have replaced")
            case ast.Subscript(value=ast.Name(id=name)) if name in self._names.classes:
                if self._names.classes.find(name, "__class_getitem__") is not None:
                    raise Unsupported(f"{name}[...], which __class_getitem__ gives")

    def _check_replace(self, builder: FrameBuilder, node: ast.AST) -> None:
        """Raise Unsupported for `dataclasses.replace` of an object whose class has a `__post_init__`, which it runs."""
        match node.value if isinstance(node, ast.Assign | ast.Expr) else None:
            case ast.Call(func=func, args=[ast.Name() as thing]) if self._names.classes:
                callee = self._variables.atom(builder, func) if isinstance(func, ast.Name) else ast.unparse(func)
                owner = heap_text(self._variables.atom(builder, thing), builder.heap).partition("(")[0]
                replaces = callee == "dataclasses.replace" or (callee == "replace" and isinstance(func, ast.Name))
                if replaces and owner in self._names.classes and self._names.classes.find(owner, "__post_init__"):
                    raise Unsupported(f"replace of an object whose class {owner} has __post_init__")

    def _check_import(self, builder: FrameBuilder, node: ast.Import | ast.ImportFrom) -> None:
        """Raise Unsupported for an import whose name is one of the program's own, by which a frame would write it."""
        names = {imported_name(alias) for alias in node.names}
        own = self._names.declared_global(self._variables.key(builder)) | self._names.own_names
        if not names.isdisjoint(own):
            raise Unsupported("an import of a name that the program uses for something else, or for all its functions")

    def _is_over_object(self, content: str, heap: dict[int, str]) -> bool:
        """Whether it is an iterator of the library over an object of the program."""
        return content.startswith(_ITERATING) and any(
            heap.get(label, "").partition("(")[0] in self._names.classes for label in references(content)
        )

    def _is_function(self, text: str) -> bool:
        return self._names.function_name(text) is not None

    def _makes_nothing(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Whether the line asks no `defaultdict` for an item that is not there."""
        value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if not isinstance(value, ast.Subscript):
            return isinstance(node, ast.Assign | ast.Expr | ast.For | ast.Delete) and not _calls_value(value)
        if isinstance(value.slice, ast.Slice):
            return True
        content = heap_text(self._variables.atom(builder, value.value), builder.heap)
        return has_key(content, self._variables.atom(builder, value.slice))

    def _check_modules(self, builder: FrameBuilder, reads: list[tuple[str, str]]) -> None:
        """Raise Unsupported for a line that uses a module whose objects no frame can hold."""
        for name, text in reads:
            module = self._unwritable.get(name)
            if module is not None and (name not in builder.locals or text == module):
                raise Unsupported(f"`{module}` is unsupported")

    def _check_decimals(self, node: ast.AST, reads: list[tuple[str, str]], builder: FrameBuilder) -> None:
        """Raise Unsupported for a line that asks for the context of `decimal`, or that one of the module may change."""
        if self._decimals.asks(node):
            raise Unsupported("the context of `decimal`, which no frame holds")
        changed = self._decimals.module_line
        if changed is not None:
            held = reachable((text for _, text in reads), builder.heap)
            texts = [text for _, text in (*reads, *held)]
            if any("Decimal" in text for text in texts):
                line = self._names.origin(changed)
                raise Unsupported(f"a Decimal while line {line} sets the context of `decimal`, which no frame holds")

    def _run(self, builder: FrameBuilder, node: ast.AST, values: Bindings) -> dict[int, str]:
        """The objects whose code the line may run: of a generator that it only passes on, nothing."""
        heap = builder.heap
        if any(text.startswith("generator(") for text in heap.values()) and is_inert(node):
            heap = {n: "generator()" if text.startswith("generator(") else text for n, text in heap.items()}
        return dict(reachable((text for _, text in values), heap))

    def _is_inert(self, builder: FrameBuilder, node: ast.AST, reads: list[tuple[str, str]]) -> bool:
        """Whether the line runs no operator of the program's objects in it."""
        if not self._names.classes:
            return False
        place = builder.line, getattr(getattr(getattr(node, "value", None), "func", None), "attr", "")
        if place not in self._inert:
            self._inert[place] = keys_of(node) if is_inert(node) else None
        keys = self._inert[place]
        return keys is not None and not any(
            name in keys and not self._is_key(text) and self._names.calls_back(text, builder.heap, asked=KEYS)
            for name, text in reads
        )

    def _is_key(self, text: str) -> bool:
        """Whether it is a class of the program, which as a key is compared by its identity."""
        return text in self._names.classes and not self._has_metaclasses

    def _spelled_method(self, builder: FrameBuilder, node: ast.AST) -> ast.AST:
        """The line with the method of a builtin container that a variable holds: `_2(x)` as `_2.append(x)`."""
        call = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return node
        label, _, method = self._variables.atom(builder, call.func).partition(".")
        if label in _ORDERING_MODULES:
            spelled = ast.Call(ast.Name(method, ast.Load()), call.args, call.keywords)
            return ast.Assign(node.targets, spelled) if isinstance(node, ast.Assign) else ast.Expr(spelled)
        if not method.isidentifier() or not heap_text(label, builder.heap).startswith(_BUILTIN):
            return node
        spelled = ast.Call(ast.Attribute(call.func, method, ast.Load()), call.args, call.keywords)
        return ast.Assign(node.targets, spelled) if isinstance(node, ast.Assign) else ast.Expr(spelled)

    def _is_quiet(self, node: ast.AST, *, inert: bool, texts: list[str], heap: dict[int, str]) -> bool:
        """Whether the line moves functions of the program about, in lists, dicts and the like, and runs none."""
        if not only_moves(node) or (self._names.classes and not inert):
            return False
        through = [f"#{label}" for text in texts if text.startswith(_PAIRING) for label in references(text)]
        own = any(self._is_object(text, heap) for text in through)
        return not own and not any(text.startswith(_RUNNING) and not _PLAIN_FACTORY.match(text) for text in texts)

    def _is_object(self, text: str, heap: dict[int, str]) -> bool:
        return heap_text(text, heap).partition("(")[0] in self._names.classes

    def _values_read(self, builder: FrameBuilder, node: ast.AST) -> list[tuple[str, str]]:
        """What a line reads; a name that is not bound ends it, unless parts of the line may not be reached."""
        if builder.line not in self._reads:
            self._reads[builder.line] = reads_of(node), any(isinstance(part, LAZY) for part in nodes_of(node))
        names, lazy = self._reads[builder.line]
        found = []
        for name in names:
            try:
                found.append((name, self._variables.read(builder, name)))
            except Raised:
                if not lazy:
                    raise
        return found


def _changed_owner(node: ast.AST) -> ast.Name | None:
    """The value whose attribute a line sets or deletes."""
    match node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name() as owner)]):
            return owner
        case ast.Delete(targets=[ast.Attribute(value=ast.Name() as owner)]):
            return owner
        case ast.Assign(value=ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[ast.Name() as owner, *_])):
            return owner
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[ast.Name() as owner, *_])):
            return owner
    return None


def _pairs(node: ast.AST) -> bool:
    """Whether a line makes a `zip` or an `enumerate`, which asks its arguments for iterators."""
    match node:
        case ast.Assign(value=ast.Call(func=ast.Name(id="zip" | "enumerate"))):
            return True
    return False


def _calls_value(node: ast.expr | None) -> bool:
    """Whether an expression calls a variable, or a function that asks its arguments for items."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name not in _LOOKING
    return False


def heap_text(text: str, heap: dict[int, str]) -> str:
    """The content of an object, and any other value's own text."""
    label = label_of(text)
    return text if label is None else heap.get(label, "")


def _has_object_keys(content: str) -> bool:
    return "#" in content and (content[0] == "{" or "({" in content) and _KEYED.search(content) is not None


def reachable(texts: Iterable[str], heap: dict[int, str]) -> tuple[tuple[int, str], ...]:
    """The part of the heap that some values reach; ImpossibleState where an oracle wrote a reference to nothing."""
    found: dict[int, str] = {}
    pending = [label for text in texts for label in references(text)]
    while pending:
        label = pending.pop()
        if label not in heap:
            raise ImpossibleState(f"reference #{label} to an object that is not there")
        if label not in found:
            found[label] = heap[label]
            pending += references(heap[label])
    return tuple(sorted(found.items()))

"""The first frame of a call, from text alone: what a run would show at its start, without running anything.

Arguments and module variables must be literals; other values can only be known from a real run, whose first frame may
supply its module variables. A search begins the same tests in thousands of programs that differ in a line or two, so
first frames are cached by what they depend on: arguments, module variables and the header of the entry.
"""

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.sources.source_set import SourceSet
from envs.execution.sources.source_use import source_imports, used_sources
from envs.execution.state.frames import Activation, Bindings, Frame, HeapText, Outcome
from envs.execution.state.value_grammar import BadProgram, Unsupported, expanded, references, replace_references
from envs.execution.stepper.argument_binding import ArgumentBinding
from envs.execution.stepper.name_lookup import Callee
from envs.execution.stepper.source_calls import source_text
from envs.execution.syntax.bindings import imported_names
from envs.execution.syntax.classes.own_classes import mangled
from envs.execution.syntax.line_map import Key
from envs.execution.text.canonical_labels import CanonicalLabels
from envs.execution.text.module_variables import class_attributes
from envs.execution.text.object_renderer import ObjectRenderer

_CLASS_MAKERS = frozenset({"namedtuple", "NamedTuple", "Enum", "IntEnum", "TypeVar", "NewType"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def module_bindings(frame: Frame) -> Bindings:
    """A real frame's module variables, to lend to other programs; what they reach follows under names like `#3`."""
    return (*frame.globals, *_reached(dict(frame.globals), dict(frame.heap)))


def _reached(rows: Mapping[str, str], heap: Mapping[int, str]) -> list[tuple[str, str]]:
    """The objects that some variables lead to, each under its label."""
    found: dict[int, str] = {}
    pending = [label for text in rows.values() for label in references(text)]
    for label in pending:  # grows while it is walked
        if label not in found:
            found[label] = heap[label]
            pending += references(heap[label])
    return [(f"#{label}", content) for label, content in sorted(found.items())]


def _apart(rows: Bindings) -> tuple[dict[str, str], dict[int, str]]:
    """Variables and objects of lent rows."""
    heap = {int(name[1:]): text for name, text in rows if name.startswith("#")}
    return {name: text for name, text in rows if not name.startswith("#")}, heap


def first_frame(
    program: Program, arguments: str, lent: Bindings = (), world: Mapping[str, Any] | None = None
) -> Frame | Outcome:
    """The frame at which `entry(arguments)` begins in a world, or the outcome of a call that Python refuses."""
    _given(arguments)  # what is wrong with the arguments is said first
    shared = _module_variables(program, lent)
    if used := used_sources(program.source):
        shared = (*shared, *_source_rows(program, used, world or {}))
    return _begun(arguments, shared, _entrance(program))


def _source_rows(program: Program, used: frozenset[str], world: Mapping[str, Any]) -> Bindings:
    """Where the sources stand at the call: as the world says, since the module level reads none."""
    known = {*source_imports(program.source), "input", "open"}
    for node in program.layout.tree.body:
        if not isinstance(node, (*_DEFINITIONS, ast.Import, ast.ImportFrom)) and known & _mentioned(node):
            raise Unsupported("a module level that reads a source, whose position only a run can tell")
    return tuple((name, source_text(source)) for name, source in SourceSet.of_world(used, world).rows().items())


@dataclass(frozen=True, slots=True)
class _Given:
    """Arguments, read."""

    call: ast.Call
    texts: Mapping[int, str]
    """Values by the `id` of their node in the call."""
    heap: HeapText


@dataclass(frozen=True, slots=True)
class _Entrance:
    """The entry of a program; equal ones take arguments alike and begin on the same line."""

    key: Key
    header: str
    """Its lines up to the first of its body."""
    program: Program = field(compare=False, repr=False)


@lru_cache(maxsize=512)
def _begun(arguments: str, shared: Bindings, entrance: _Entrance) -> Frame | Outcome:
    """The first frame, made once for all programs whose entry is the same."""
    given, key = _given(arguments), entrance.key
    scope = _scope(dict(given.heap), shared)
    bound = ArgumentBinding(entrance.program).bind(Callee(key, given.call), lambda node: given.texts[id(node)], scope)
    if isinstance(bound, str):
        return Outcome("raised", bound)
    labels = CanonicalLabels(scope.heap, ())
    rows = labels.bindings(scope.globals.items())
    activation = Activation(key[0], key[1], labels.bindings(bound.items()))
    return Frame("call", (activation,), labels.heap(), rows)


@lru_cache(maxsize=512)
def _given(arguments: str) -> _Given:
    call = _call(arguments)
    nodes = [*call.args, *[keyword.value for keyword in call.keywords]]
    rows, _, heap = ObjectRenderer({}, FILENAME).render(
        [{str(index): _literal(node) for index, node in enumerate(nodes)}]
    )
    texts = dict(rows[0])
    return _Given(call, {id(node): texts[str(index)] for index, node in enumerate(nodes)}, heap)


class _Scope:
    def __init__(self, heap: dict[int, str], shared: dict[str, str]) -> None:
        self.heap = heap
        self.globals = shared


def _scope(heap: dict[int, str], shared: Bindings) -> _Scope:
    """Arguments' objects and module variables on one heap: a default and the parameter it fills are one object."""
    variables, lent = _apart(shared)
    beyond = max(heap, default=0)

    def moved(text: str) -> str:
        return replace_references(text, lambda label: f"#{label + beyond}")

    labels = CanonicalLabels(heap | {label + beyond: moved(text) for label, text in lent.items()}, heap)
    rows = labels.bindings((name, moved(text)) for name, text in variables.items())
    return _Scope(heap | dict(labels.heap()), dict(rows))


@lru_cache(maxsize=64)
def _entrance(program: Program) -> _Entrance:
    for node in reversed(program.layout.tree.body):
        if isinstance(node, ast.FunctionDef) and node.name == program.entry:
            if node.decorator_list:
                raise Unsupported("an entry with decorators")
            header = "\n".join(program.lines[node.lineno - 1 : node.body[0].lineno])
            return _Entrance((node.name, node.lineno), header, program)
    raise Unsupported(f"an entry {program.entry!r} that is no plain function of the module")


def _call(arguments: str) -> ast.Call:
    try:
        tree = ast.parse(f"f({arguments}\n)", mode="eval")
        compile(tree, FILENAME, "eval")  # finds a keyword given twice
    except SyntaxError as error:
        raise BadProgram(f"the arguments ({arguments[:200]}) do not parse: {error.msg}.") from None
    call = tree.body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise BadProgram(f"the arguments ({arguments[:200]}) are more than the arguments of one call.")
    return call


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        raise Unsupported(f"the argument {ast.unparse(node)[:80]}, which is no literal") from None


@lru_cache(maxsize=64)
def _module_variables(program: Program, given: Bindings) -> Bindings:
    """Module variables that functions use and mutable defaults: literal ones as the program says, others as lent."""
    body, (lent, heap) = program.layout.tree.body, _apart(given)
    used = {name for code in program.codes().values() if code.co_name != "<module>" for name in code.co_names}
    defined = {node.name for node in body if isinstance(node, _DEFINITIONS)}
    functions = _functions(body)
    constant = {f"{prefix}.{name}" for prefix, function in functions for name in _constant_parameters(function)}
    found = {name: text for name, text in lent.items() if "." in name and name not in constant}
    for node in body:
        assigned = _assigned(node)
        for name, value in assigned:
            if name in used and not _makes_class(value):
                found[name] = _known(_text(value), lent.get(name, ""), heap)
        if not assigned:  # a loop, a call or `+=` may change what was bound before
            found |= {name: lent.get(name, "") for name in _touched(node) & used - defined}
    found |= {name: lent[name] for name in imported_names(program.layout.tree) & used & lent.keys()}
    found |= _class_attributes(program, lent)
    missing = [name for name, text in found.items() if not text]
    if missing:
        raise Unsupported(f"the module variable {missing[0]!r}, whose value only a run can tell")
    for prefix, function in functions:
        found |= {f"{prefix}.{name}": text for name, text in _mutable_defaults(function).items()}
    return (*found.items(), *_reached(found, heap))


def _known(literal: str | None, lent: str, heap: Mapping[int, str]) -> str:
    """A variable's text: the literal one, or the lent one where it says the same and other variables may share it."""
    return lent if literal is None or (lent and expanded(lent, heap) == literal) else literal


def _functions(body: list[ast.stmt]) -> list[tuple[str, ast.FunctionDef]]:
    """The functions of a module and of its classes by the names under which a frame shows their defaults."""
    found = []
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.append((node.name, node))
        elif isinstance(node, ast.ClassDef):
            found += [(f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef)]
    return found


def _class_attributes(program: Program, lent: Mapping[str, str]) -> dict[str, str]:
    """Class attributes that a frame shows and a class body sets: literal ones as the program says, others as lent."""
    shown = class_attributes(program) if "class " in program.source else ()
    return {
        name: _text(value) or _function_name(program, value) or lent.get(name, "")
        for owner in program.layout.tree.body
        if isinstance(owner, ast.ClassDef) and shown
        for node in owner.body
        for attribute, value in _assigned(node)
        if (name := f"{owner.name}.{mangled(attribute, owner.name)}") in shown
    }


def _makes_class(value: ast.expr) -> bool:
    """Whether an expression makes a class or a type, which is no data: `namedtuple('P', 'x y')`."""
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in _CLASS_MAKERS


def _function_name(program: Program, node: ast.expr) -> str | None:
    """The name of a function of the module, which is how a frame shows it."""
    functions = [each.name for each in program.layout.tree.body if isinstance(each, ast.FunctionDef)]
    return node.id if isinstance(node, ast.Name) and node.id in functions else None


def _assigned(node: ast.stmt) -> list[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        return [(target.id, node.value) for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        return [(node.target.id, node.value)]
    return []


def _touched(node: ast.stmt) -> set[str]:
    """Module variables that a statement other than a plain assignment or a definition may bind or change."""
    if isinstance(node, (*_DEFINITIONS, ast.Import, ast.ImportFrom)):
        return set()
    return {name for name in _mentioned(node) if not hasattr(builtins, name)}


def _mentioned(node: ast.stmt) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _text(node: ast.expr) -> str | None:
    try:
        rows, _, heap = ObjectRenderer({}, FILENAME).render([{"value": ast.literal_eval(node)}])
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None
    return expanded(rows[0][0][1], dict(heap))


def _mutable_defaults(function: ast.FunctionDef) -> dict[str, str]:
    return {
        name: text
        for name, value in _defaults(function).items()
        if isinstance(value, ast.List | ast.Dict | ast.Set) and (text := _text(value))
    }


def _constant_parameters(function: ast.FunctionDef) -> list[str]:
    """Parameters without a default, and those whose default is a constant: another program's default is not theirs."""
    return [name for name, value in _defaults(function).items() if value is None or isinstance(value, ast.Constant)]


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr | None]:
    """Each parameter that may be given by its place or by its name, with its default."""
    given = function.args.defaults
    names = [each.arg for each in [*function.args.posonlyargs, *function.args.args]]
    by_name = zip([each.arg for each in function.args.kwonlyargs], function.args.kw_defaults, strict=True)
    return {**dict.fromkeys(names), **dict(zip(names[len(names) - len(given) :], given, strict=True)), **dict(by_name)}

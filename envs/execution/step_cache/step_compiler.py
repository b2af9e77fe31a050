"""Compiles the lines of a program: from syntax and scopes, what each line reads and binds, and where control goes next.

Lines that depend on more than plain variables (cells, `global`, what waits at a `try`) are left to the stepper, and so
is what leaves a handler or raises.
"""

import ast
from collections.abc import Iterable

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame
from envs.execution.step_cache.cached_effects import ContinueAt
from envs.execution.step_cache.compiled_steps import (
    NO_RULE,
    Argument,
    BranchStep,
    CallResultStep,
    CallStep,
    CompiledStep,
    CopyStep,
    EntryStep,
    FunctionExit,
    JumpStep,
    ReturnedStep,
    ReturnStep,
    StepLocation,
    Successor,
)
from envs.execution.step_cache.effect_steps import EffectStep, Known, LoopStep, ReadsAndBindings
from envs.execution.step_cache.mutable_frame import MutableFrame
from envs.execution.stepper.control_flow import Jump
from envs.execution.stepper.name_lookup import Callee, NameLookup
from envs.execution.stepper.objects.own_calls import BUILTIN_CALLS
from envs.execution.stepper.stepper import Stepper
from envs.execution.syntax.bindings import reads_of, writes_of
from envs.execution.syntax.line_map import Key
from envs.execution.syntax.program_structure import Function
from envs.execution.text.canonical_labels import known_objects
from envs.execution.text.value_writers import Waiting

Store = dict[object, Known]
"""Cached effects by line, shared by all programs that have the line."""
_STEPPERS = (ast.ExceptHandler, ast.Raise, ast.FunctionDef, ast.With, ast.Match, ast.ClassDef, ast.AsyncFor)
"""Statements whose steps are the stepper's own."""


class StepCompiler:
    """The compiled steps of one program; a line is compiled when it is first reached."""

    def __init__(self, stepper: Stepper, shared: frozenset[str], store: Store) -> None:
        self._program = stepper.program
        self._lines = stepper.program.lines
        self._layout = stepper.program.layout
        self._codes = stepper.program.codes()
        self._control, self._names = stepper.control, stepper.names
        self._shared, self._store = shared, store
        self._kind = _kind(stepper.program, stepper.names), bool(shared)
        """What cached effects depend on besides the line: the program's names and classes."""
        self._steps: dict[int, CompiledStep] = {}
        self._entries: dict[Key, CompiledStep] = {}
        self._left: dict[tuple[str, int], ReturnedStep] = {}
        self._takers: dict[int, CallResultStep | None] = {}
        self._plain: dict[Key, frozenset[str]] = {}

    def open(self, frame: Frame) -> MutableFrame | None:
        """A mutable copy of the frame, where compiled steps can continue from it; None where they cannot."""
        now = self._standing(frame)
        if type(now) is CompiledStep or not now.location.takes(frame.function, frame.locals, dict(frame.heap)):
            return None
        return MutableFrame(frame, now)

    def learn(self, frame: Frame, question: Question, effect: Effect, logprob: float) -> None:
        """Cache the effect of a line, if its step is nothing but that effect."""
        state = self.open(frame)
        if state is None or not isinstance(state.now, EffectStep) or question.globals or question.hidden:
            return
        node = self._layout.places[frame.line].node
        calls = isinstance(node, ast.Assign | ast.Expr) and isinstance(node.value, ast.Call)
        if not (calls and any(self._names.calls_back(text, state.heap) for _, text in question.reads)):
            state.now.learn(state, question, effect, logprob)

    def _standing(self, frame: Frame) -> CompiledStep:
        place = self._layout.places.get(frame.line)
        if frame.event != "line" and place is not None and self._names.is_generator(place.function):
            return CompiledStep(StepLocation(frame.function, frame.line))  # it goes on, or gives an item
        if frame.event == "line":
            return self._at(frame.line)
        if frame.event == "call":
            return self._entry((frame.function, frame.line))
        if frame.event == "return":
            return self._leaving(frame.function, frame.line)
        return CompiledStep(StepLocation(frame.function, frame.line))

    def _at(self, line: int) -> CompiledStep:
        found = self._steps.get(line)
        if found is None:
            found = self._steps[line] = self._compile(line)
        return found

    def _entry(self, key: Key) -> CompiledStep:
        if key not in self._entries:
            location = StepLocation(*key, self._plain_of(key), self._program.temporaries)
            following = self._successor(location, self._control.first(key))
            self._entries[key] = CompiledStep(location) if following is None else EntryStep(location, following)
        return self._entries[key]

    def _leaving(self, function: str, line: int) -> ReturnedStep:
        if (function, line) not in self._left:
            location = StepLocation(function, line, temporaries=self._program.temporaries)
            self._left[function, line] = ReturnedStep(location, self._taker)
        return self._left[function, line]

    def _taker(self, line: int) -> CallResultStep | None:
        if line not in self._takers:
            self._takers[line] = self._taking(self._location(line), self._layout.places[line].node)
        return self._takers[line]

    def _taking(self, location: StepLocation, node: ast.AST) -> CallResultStep | None:
        """What a line does with the value of a function it called; None where that is more than to bind it."""
        target = None
        if self._names.classes and not _binds_as_returned(node):
            return None
        if isinstance(node, ast.Assign):
            target = node.targets[0].id if isinstance(node.targets[0], ast.Name) else None
            if len(node.targets) > 1 or target not in location.plain:
                return None
        elif not isinstance(node, ast.Expr):
            return None
        following = self._onward(location, frozenset() if target is None else frozenset({target}))
        return None if following is None else CallResultStep(location, target, following)

    def _location(self, line: int) -> StepLocation:
        key = self._layout.places[line].function
        return StepLocation(
            key[0], line, self._plain_of(key), self._program.temporaries, live=self._program.live[line - 1]
        )

    # -- one line

    def _compile(self, line: int) -> CompiledStep:
        location = self._location(line)
        node = self._layout.places[line].node
        if self._names.is_generator(self._layout.places[line].function):
            return CompiledStep(location)
        try:
            return (None if isinstance(node, _STEPPERS) else self._made(location, node)) or CompiledStep(location)
        except NO_RULE:  # a call of what is not there, a key that is none: the stepper says so
            return CompiledStep(location)

    def _made(self, location: StepLocation, node: ast.AST) -> CompiledStep | None:
        """The compiled step of one line; None where only the stepper knows it."""
        match node:
            case ast.If(test=test) | ast.While(test=test):
                return self._branch(location, test)
            case ast.For():
                return self._loop(location, node)
            case ast.Return(value=value):
                return self._return(location, value)
            case ast.Break():
                following = self._successor(location, self._control.leave(location.line, Waiting("break"), {}))
                return None if following is None else JumpStep(location, following)
            case ast.Continue():
                following = self._successor(location, self._control.leave(location.line, Waiting("continue"), {}))
                return None if following is None else JumpStep(location, following)
            case ast.Pass():
                following = self._onward(location)
                return None if following is None else JumpStep(location, following)
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name() | ast.Constant() as source):
                return self._copy(location, target, source)
        callee = self._callee(location, node)
        return self._doing(location, node) if callee is None else self._call(location, callee)

    def _copy(self, location: StepLocation, target: str, source: ast.expr) -> CompiledStep | None:
        following, given = self._onward(location, frozenset({target})), _argument(location, source)
        if following is None or given is None or target not in location.plain:
            return None
        return CopyStep(location, target, given, following)

    def _callee(self, location: StepLocation, node: ast.AST) -> Callee | None:
        """The function of the program that a line calls whatever its variables hold."""
        value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return None
        text = self._outside(location, value.func.id)
        return None if text is None else self._names.callee(node, lambda _: text)

    def _branch(self, location: StepLocation, test: ast.expr) -> CompiledStep | None:
        wanted = True
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, wanted = test.operand, not wanted
        yes, no = [
            self._successor(location, self._control.branch(location.line, truth, {})) for truth in (wanted, not wanted)
        ]
        if yes is None or no is None or not isinstance(test, ast.Name) or test.id not in location.plain:
            return None
        return BranchStep(location, test.id, yes, no)

    def _loop(self, location: StepLocation, node: ast.For) -> CompiledStep | None:
        if not isinstance(node.iter, ast.Name) or not isinstance(node.target, ast.Name):
            return None
        target = frozenset({node.target.id})
        inside = self._successor(location, self._control.branch(location.line, True, {}), target)
        out = self._successor(location, self._control.branch(location.line, False, {}))
        if inside is None or out is None or not target | {node.iter.id} <= location.plain:
            return None
        return LoopStep(
            location, ReadsAndBindings((node.iter.id,), (), target), self._known(location, ("own",)), inside, out=out
        )

    def _return(self, location: StepLocation, value: ast.expr | None) -> CompiledStep | None:
        jump = self._control.leave(location.line, Waiting("return", "None"), {})
        given = _argument(location, value or ast.Constant(None))
        if jump.line is not None or self._control.names_left(location.line, None) or given is None:
            return None
        return ReturnStep(
            location, given, FunctionExit(self._leaving(location.function, location.line), self._program.temporaries)
        )

    def _call(self, location: StepLocation, callee: Callee) -> CompiledStep | None:
        if self._names.is_generator(callee.key):
            return None
        wanted = self._layout.functions[callee.key].args
        parameters = [each.arg for each in (*wanted.posonlyargs, *wanted.args)]
        given = [each for value in callee.call.args if (each := _argument(location, value)) is not None]
        more = wanted.vararg or wanted.kwarg or wanted.kwonlyargs or callee.call.keywords
        if more or not len(parameters) == len(given) == len(callee.call.args):
            return None
        return CallStep(location, dict(zip(parameters, given, strict=True)), lambda: self._entry(callee.key))

    def _doing(self, location: StepLocation, node: ast.AST) -> CompiledStep | None:
        if getattr(node, "end_lineno", location.line) != location.line:
            return None
        reads, writes = _names_of(self._lines[location.line - 1].strip())
        sources = {name: self._source(location, name) for name in reads}
        following = self._onward(location, writes)
        if following is None or None in sources.values() or not writes <= location.plain:
            return None
        own, shared = [tuple(name for name in reads if sources[name] == kind) for kind in ("own", "shared")]
        known = self._known(location, tuple(sources.values()))
        return EffectStep(location, ReadsAndBindings(own, shared, writes.union(own)), known, following)

    def _known(self, location: StepLocation, sources: tuple[str | None, ...]) -> Known:
        return self._store.setdefault((self._kind, self._lines[location.line - 1].strip(), sources), {})

    # -- names

    def _source(self, location: StepLocation, name: str) -> str | None:
        """Where a name's value stands: a plain variable, a module variable, or nowhere, as it never changes."""
        if name in location.plain:
            return "own"
        if self._outside(location, name) is not None:
            return "always"
        code = self._codes[self._layout.places[location.line].function]
        return "shared" if name in self._shared and name not in (*code.co_cellvars, *code.co_freevars) else None

    def _outside(self, location: StepLocation, name: str) -> str | None:
        """What a name means that no variable has; None where one has it, or nothing does."""
        key = self._layout.places[location.line].function
        return None if name in self._shared else self._names.outside(name, key, {}).text

    def _plain_of(self, key: Key) -> frozenset[str]:
        if key not in self._plain:
            code = self._codes[key]
            self._plain[key] = frozenset(code.co_varnames).difference(code.co_cellvars, code.co_freevars)
        return self._plain[key]

    # -- where control goes next

    def _onward(self, location: StepLocation, bound: frozenset[str] = frozenset()) -> ContinueAt | None:
        """What follows a statement that is done and bound some names."""
        return self._successor(location, self._control.after(location.line, {}), bound)

    def _successor(self, location: StepLocation, jump: Jump, bound: frozenset[str] = frozenset()) -> ContinueAt | None:
        """Where a jump leads; None where something waits at a `try` or the jump unbinds names."""
        if self._control.names_left(location.line, jump.line):
            return None
        temporaries, live = self._program.temporaries, self._program.live
        if jump.line is not None:
            drops = (temporaries & (live[location.line - 1] | bound)) - live[jump.line - 1]
            return None if jump.wait is not None else Successor(jump.line, tuple(drops), self._at)
        falls = jump.wait is None or (jump.wait.kind == "return" and jump.wait.value is None)
        return FunctionExit(self._leaving(location.function, location.line), temporaries) if falls else None


def _argument(location: StepLocation, value: ast.expr) -> Argument | None:
    if isinstance(value, ast.Name):
        return (value.id, "") if value.id in location.plain else None
    try:
        text = repr(ast.literal_eval(value))
    except ValueError:
        return None
    return (None, text) if known_objects(text, 0) == () else None


@bounded_cache(4 * MIB, per_character=4)
def _names_of(statement: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names that a simple statement reads and binds."""
    [node] = ast.parse(statement).body
    return reads_of(node), writes_of(node)


def _kind(program: Program, names: NameLookup) -> object:
    """The program's names and classes: on them it depends whether a value runs code of the program."""
    classes = [node for node in program.layout.tree.body if isinstance(node, ast.ClassDef)]
    described = [
        (node.name, names.bases[node.name], _unparsed(node.decorator_list), tuple(map(_described, node.body)))
        for node in classes
    ]
    return names.module_names, names.imported_names, tuple(described)


def _described(node: ast.stmt) -> object:
    """What a statement of a class body says of its objects: a method by its name, a field as it is written."""
    return (node.name, _unparsed(node.decorator_list)) if isinstance(node, Function) else ast.unparse(node)


def _unparsed(nodes: Iterable[ast.expr]) -> tuple[str, ...]:
    return tuple(ast.unparse(node) for node in nodes)


def _binds_as_returned(node: ast.AST) -> bool:
    """Whether a line binds just what its function returns: a call that no builtin makes, or a property."""
    value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
    if isinstance(value, ast.Call):
        return not isinstance(value.func, ast.Name) or value.func.id not in (*BUILTIN_CALLS, "bool")
    return isinstance(value, ast.Attribute)

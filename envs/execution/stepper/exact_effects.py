"""Python's own answer to a question: rebuild the values a line reads, run that one line for real, write down what
changed.

The exact oracle answers with it, and it labels training data. It runs program code, so it is called
inside the sandbox unless the program is our own.
"""

import ast
import builtins
import contextlib
import io
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.sources.counted_random import ModuleRandom
from envs.execution.sources.memory_files import DetachedFile
from envs.execution.sources.source_set import SourceSet
from envs.execution.sources.source_use import used_sources
from envs.execution.state.effects import Effect, Question
from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.argument_binding import function_of
from envs.execution.stepper.name_lookup import own_globals
from envs.execution.stepper.set_operations import set_fillings
from envs.execution.stepper.single_functions import single_functions
from envs.execution.stepper.source_calls import source_of, source_text
from envs.execution.syntax.bindings import reads_of, walrus_names, writes_of
from envs.execution.syntax.classes.private_names import classes_around, spelled_out
from envs.execution.syntax.line_map import LinePlace
from envs.execution.syntax.program_structure import nodes_of, nodes_of_program
from envs.execution.text.module_variables import set_shared, shared_names, shared_values
from envs.execution.text.object_builder import ObjectBuilder
from envs.execution.text.object_renderer import ObjectRenderer
from envs.execution.text.set_fillings import BACKWARDS, FORWARDS, SetFilling
from envs.execution.text.suspended_variables import SuspendedVariables

Values = dict[str, object]
_ORDERLESS = re.compile(r"(\w+ = )?(len\(\w+\)|\w+ (not )?in \w+|\w+\.(add|discard|remove)\(\w+\))")
"""Lines over a set whose answer does not depend on its order, unless an item compares in a way of its own."""
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_SEVERAL = re.compile(rf"""(?:^|frozenset\()\{{(?!\}})(?!(?:{_STRING}|[^:'"])*:).*,""", re.DOTALL)
"""A set of more than one item: braces without a colon outside strings."""
_NAN = re.compile(r"\bnan\b")
_CLASS_OF_GENERATOR = "?the class of a generator"
_ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}>")
_BARE_FUNCTION = re.compile(r"\w+@(\d+)(?!\d|\(#)")
"""An inner function whose text begins with no variable that it shares."""
_OVER_SET = re.compile(r"iter\(.*, \[.*\]\)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A statement compiled to run by itself."""

    code: types.CodeType
    wrapped: bool
    """As the body of a function, since it holds a scope of its own that must see the names."""
    names: tuple[str, ...] = ()
    """The parameters of that function."""
    walrus: frozenset[str] = frozenset()
    """Names of its own that a walrus in it binds."""


class ExactEffects:
    """Answers questions about one program; compiles each line once and holds nothing of a run."""

    def __init__(self, program: Program) -> None:
        self._layout = program.layout
        self._codes = program.codes()
        used = used_sources(program.source)
        self._sources = SourceSet.of_world(used, {}) if used else None
        """None for a program that reads no source."""
        with self._installed():
            self._namespace = program.namespace(self._sources)
        self._pristine = dict(self._namespace)
        self._shared = shared_names(program, self._namespace)
        self._suspended = SuspendedVariables(program)
        self._ready: dict[int, _Ready] = {}
        self._classes = classes_around(program.source)
        self._fillings = set_fillings(nodes_of_program(program.layout.tree))
        self._single = single_functions(program.layout.tree, program.entry)

    def effect(self, question: Question, floor: int = 0) -> Effect:
        """What the line really does; labels above `floor` are free for new objects.

        Unsupported where that depends on what no frame says: the order in which a set was filled, or which `nan` is the
        same object as another.
        """
        with self._installed():
            answer = self._effect(question, floor, FORWARDS)
            doubts = {
                "which object a nan is": _has_nan(question),
                "the order in which a set was filled": _has_set(question),
                "which of several functions without variables of their own one is": _has_twins(question, self._single),
            }
            doubt = next((reason for reason, holds in doubts.items() if holds), None)
            if doubt is not None and self._effect(question, floor, BACKWARDS) != answer:
                raise Unsupported(f"a line that depends on {doubt}")
            others = self._fillings if _has_set(question) and not _ORDERLESS.fullmatch(question.statement) else ()
            if any(self._effect(question, floor, filled) != answer for filled in others):
                raise Unsupported("a line that depends on how a set was put together")
        return answer

    def _installed(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self._sources is None else self._sources.installed()

    def _effect(self, question: Question, floor: int, filled: SetFilling) -> Effect:
        self._namespace.clear()
        self._namespace.update(self._pristine)
        maker = ObjectBuilder(dict(question.heap), self._namespace, self._codes, filled=filled, single=self._single)
        drawn = next((text for name, text in question.globals if name == "@random"), None)
        if drawn is not None and self._sources is not None:
            self._sources.random.become(source_of(drawn, ModuleRandom))
        for name, text in question.globals:
            if name[0] != "@":
                set_shared(name, maker.value(text), self._namespace)
        values = {name: maker.value(text) for name, text in question.reads}
        highest = max([floor, *[label for label, _ in question.heap]])
        renderer = ObjectRenderer(self._namespace, FILENAME, highest, self._suspended)
        renderer.adopt(maker.labels())
        place = self._layout.places[question.line]
        given = frozenset(self._globals_of(place) & values.keys())
        local = {name: value for name, value in values.items() if name not in given}
        self._namespace.update({name: values[name] for name in given})
        before = () if self._sources is None else self._sources.states()
        error = self._run(question.line, place, local)
        written = self._written(question, renderer, local, given, error=error)
        if self._sources is None or before == self._sources.states():
            return written
        if drawn is None:
            raise Unsupported("a line that reads a source in a way no rule follows")
        return replace(written, bound=(("@random", source_text(self._sources.random)), *written.bound))

    def _run(self, line: int, place: LinePlace, values: Values) -> BaseException | None:
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                if isinstance(place.node, ast.For):
                    _take(place.node, values)
                    return None
                ready = self._ready_for(line, place, values)
                if ready.wrapped:
                    _run_wrapped(ready, values, self._namespace)
                else:
                    exec(ready.code, self._namespace, values)
            except Unsupported:
                raise
            except DetachedFile:
                raise Unsupported("a file that is read in a way no rule follows") from None
            except BaseException as error:
                return error.with_traceback(None)
        return None

    def _ready_for(self, line: int, place: LinePlace, values: Values) -> _Ready:
        ready = self._ready.get(line)
        if ready is None:
            ready = self._ready[line] = self._compiled(place)
        if ready.wrapped:
            missing = [
                n for n in ready.names if n not in values and n not in self._namespace and not hasattr(builtins, n)
            ]
            if missing:  # whether they are read at all, only the line itself can tell
                return self._compiled(place, missing)
        return ready

    def _written(
        self,
        question: Question,
        renderer: ObjectRenderer,
        values: Values,
        given: frozenset[str],
        error: BaseException | None,
    ) -> Effect:
        place = self._layout.places[question.line]
        declared = self._globals_of(place)
        code = self._codes[place.function]
        own = {*values, *code.co_varnames, *code.co_cellvars, *code.co_freevars}
        shared = shared_values(self._shared, self._namespace) if question.globals or declared else {}
        known = list(renderer.alive.items())  # a line may change what its own names do not reach any more
        rows, texts, heap = renderer.render([shared, values], [] if error is None else [error], known)
        before = dict(question.reads)
        named = dict(question.globals) | {name: before[name] for name in given}
        answer = writes_of(place.node) if error is None else frozenset[str]()
        bound = [(name, text) for name, text in rows[1] if name in answer or before.get(name) != text]
        bound += [
            (name, text)
            for name, text in rows[0]
            if (name in declared and name in answer)
            or ((name in declared or name not in own) and named.get(name, text) != text)
        ]
        contents = dict(question.heap)
        if any(_ADDRESS.search(text) for _, text in (*bound, *heap)):
            raise Unsupported("the text of an object whose class gives it none, which shows its address")
        if any(text == _CLASS_OF_GENERATOR for _, text in bound):
            raise Unsupported("the class of a generator")  # what stands in for one has another
        return Effect(
            tuple(bound),
            tuple(name for name in before if name not in (self._namespace if name in given else values)),
            tuple((label, text) for label, text in heap if contents.get(label) != text),
            texts[0] if texts else None,
        )

    def _globals_of(self, place: LinePlace) -> frozenset[str]:
        return own_globals(self._layout, self._codes[place.function], place.function)

    def _compiled(self, place: LinePlace, unbound: Sequence[str] = ()) -> _Ready:
        assert isinstance(place.node, ast.stmt)
        node = spelled_out(place.node, self._classes.get(place.function[1]))
        declared = sorted(self._globals_of(place))
        prefix: list[ast.stmt] = [ast.Global(declared)] if declared else []
        if any(isinstance(part, _SCOPES) for part in nodes_of(node)):
            names = tuple(name for name in reads_of(node) if name not in declared and name not in unbound)
            return _Ready(_wrapper(node, prefix, names), True, names, frozenset(walrus_names(nodes_of(node))))
        tree = ast.fix_missing_locations(ast.Module([*prefix, node], []))
        return _Ready(compile(tree, FILENAME, "exec", dont_inherit=True), False)


def _has_set(question: Question) -> bool:
    """Whether the line sees a set of several items; where it goes through one already, the frame says the order."""
    texts = [text for _, text in (*question.reads, *question.globals, *question.heap)]
    if any(_OVER_SET.match(text) for text in texts):
        return False
    return any("{" in text and _SEVERAL.search(text) for text in texts)


def _has_nan(question: Question) -> bool:
    texts = [text for _, text in (*question.reads, *question.globals, *question.heap)]
    return any("nan" in text and _NAN.search(text) for text in texts)


def _has_twins(question: Question, single: frozenset[int]) -> bool:
    """Whether an inner function that shares no variable occurs twice: it may be one object or several."""
    texts = [text for _, text in (*question.reads, *question.globals, *question.heap)]
    found = [line for text in texts if "@" in text for line in _BARE_FUNCTION.findall(text) if int(line) not in single]
    return len(found) > len(set(found))


def _take(node: ast.For, values: Values) -> None:
    assert isinstance(node.iter, ast.Name)
    assert isinstance(node.target, ast.Name)
    values[node.target.id] = next(values[node.iter.id])  # type: ignore[call-overload]


def _wrapper(node: ast.stmt, prefix: list[ast.stmt], names: Sequence[str]) -> types.CodeType:
    """The statement as the body of a function over the names it reads, so that inner scopes see them."""
    body = [*prefix, node, *ast.parse("return locals()").body]
    none: list[ast.expr | None] = [ast.Constant(None) for _ in names]
    given = ast.arguments([], [], None, [ast.arg(name) for name in names], none, None, [])
    function = function_of("__line__", given, body)
    tree = ast.fix_missing_locations(ast.Module([function], []))
    return compile(tree, FILENAME, "exec", dont_inherit=True)


def _run_wrapped(ready: _Ready, values: Values, namespace: Values) -> None:
    scope: dict[str, Callable[..., Values]] = {}
    exec(ready.code, namespace, scope)
    function = scope["__line__"]
    outside = [name for name in ready.names if name not in values]  # builtins and names of the program
    given = {name: values[name] for name in ready.names if name in values}
    given |= {name: namespace.get(name, getattr(builtins, name, None)) for name in outside}
    try:
        result = function(**given)
    except BaseException as error:  # names that a walrus bound before the line raised stay bound
        trace = error.__traceback__
        held = trace.tb_next.tb_frame.f_locals if trace is not None and trace.tb_next is not None else {}
        values.update({name: held[name] for name in ready.walrus if name in held})
        raise
    values.update({name: value for name, value in result.items() if name not in outside})

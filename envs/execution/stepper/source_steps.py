"""Steps that read a source by rule: a draw, a line of input, a reading of the clock, a file.

A rule follows what the source's text in the frame says, so a frame alone gives the next one, as everywhere. What no
rule follows is Unsupported, or a question to the oracle where it is a draw.
"""

import ast
from collections.abc import Callable

from envs.execution.decompose.program import Program
from envs.execution.sources.memory_files import MemoryFile
from envs.execution.sources.scripted_sources import OTHER_READINGS, READINGS, ScriptedClock
from envs.execution.sources.source_use import source_imports, used_sources
from envs.execution.state.value_grammar import ImpossibleState, Unsupported, label_of
from envs.execution.stepper.draw_distributions import DrawTable, draw_table
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.source_calls import (
    DRAWS,
    OTHER_DRAWS,
    GivenArguments,
    SourceResult,
    drawn,
    made_generator,
    opened,
    read_clock,
    read_input,
    source_of,
    used_file,
)

_MOMENTS = frozenset(
    {"datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today"}
)
_CLASSES = frozenset({"datetime.datetime", "datetime.date", "random.Random"})
_KEEPERS = frozenset("append add insert setdefault get pop appendleft remove index count update".split())
"""Methods of containers that move a file without reading it."""


def source_steps(program: Program, variables: FrameVariables) -> "SourceSteps | None":
    """The rules of a program that reads a source; None for any other program."""
    return SourceSteps(program, variables) if used_sources(program.source) else None


class SourceSteps:
    """The rules about sources for one program."""

    def __init__(self, program: Program, variables: FrameVariables) -> None:
        self._variables = variables
        self._imports = source_imports(program.source)
        self._used = used_sources(program.source)

    def apply(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Whether the line reads or names a source and a rule took its step; Raised where the source raises."""
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) | ast.Expr(value=value as target):
                name = target if isinstance(target, str) else None
            case _:
                return False
        if isinstance(value, ast.Call):
            found = self._call(builder, value)
            if found is not None:
                self._write(builder, found, name)
            return found is not None
        text = self._named(builder, value) if name is not None else None
        if text is not None and name is not None:
            self._variables.bind(builder, name, text)
        return text is not None

    def next_line(self, builder: FrameBuilder, iterator: str, target: str) -> bool | None:
        """Whether a loop over a file has a next line, which is bound; None for a loop over anything else."""
        label = label_of(iterator)
        if label is None or not builder.heap.get(label, "").startswith("textfile("):
            return None
        found = used_file(_files(builder), label, "__next__", GivenArguments(()), heap=builder.heap)
        if found.raised == "StopIteration()":
            builder.heap.update(found.contents)
            return False
        self._write(builder, found, target)
        return True

    def is_other_draw(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Whether the line draws in a way that no rule follows: the oracle is asked, and sees the generator."""
        value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if not isinstance(value, ast.Call):
            return False
        module, _, function = self._resolved(builder, value.func).rpartition(".")
        return module == "random" and function in OTHER_DRAWS

    def table(self, builder: FrameBuilder, node: ast.AST) -> DrawTable | None:
        """The distribution of the draw that a line makes; None where it makes none, or one without a table."""
        value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
        if not isinstance(value, ast.Call):
            return None
        owner, _, method = self._resolved(builder, value.func).rpartition(".")
        label = label_of(owner)
        draws = owner == "random" or (label is not None and builder.heap.get(label, "").startswith("rng("))
        return draw_table(method, self._given(builder, value), builder.heap) if draws and method in DRAWS else None

    def check_question(self, builder: FrameBuilder, node: ast.AST, reached: list[str]) -> None:
        """Unsupported where a line would read a file in a way that no rule follows."""
        if not any(text.startswith("textfile(") for text in reached):
            return
        call = getattr(node, "value", None)
        keeps = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _KEEPERS
        if isinstance(node, ast.For) or (isinstance(call, ast.Call) and not keeps):
            raise Unsupported("a file that is read in a way no rule follows")

    # -- names

    def _resolved(self, builder: FrameBuilder, expression: ast.expr) -> str:
        """The whole name of what an expression stands for, such as `random.randint` or `#3.read`; empty for others."""
        if isinstance(expression, ast.Name):
            try:
                text = self._variables.read(builder, expression.id)
            except Raised:
                return ""
            return self._imports.get(text, text)
        if isinstance(expression, ast.Attribute):
            owner = self._resolved(builder, expression.value)
            return f"{owner}.{expression.attr}" if owner else ""
        return ""

    def _named(self, builder: FrameBuilder, value: ast.expr) -> str | None:
        """The text of a function of a source that a line names without calling it; of a file's attribute."""
        whole = self._resolved(builder, value)
        owner, _, name = whole.rpartition(".")
        label = label_of(owner)
        if label is not None and isinstance(value, ast.Attribute):
            return self._attribute(builder, label, name)
        clocked = owner == "time" and name in READINGS | OTHER_READINGS
        if clocked and "@clock" in self._used:
            return f"time.{getattr(ScriptedClock, name).__name__}"
        if owner == "random" and "@random" in self._used and name in DRAWS | OTHER_DRAWS:
            return whole
        if whole not in _CLASSES or (whole == "random.Random" and isinstance(value, ast.Name)):
            return None
        return name if self._imports.get(name) == whole else whole  # as a class is written that the module names so

    def _attribute(self, builder: FrameBuilder, label: int, name: str) -> str | None:
        content = builder.heap.get(label, "")
        if content.startswith("rng(") and name in DRAWS | OTHER_DRAWS:
            return f"#{label}.{name}"
        if not content.startswith("textfile("):
            return None
        file = source_of(content, MemoryFile)
        held = {"name": repr(file.name), "mode": repr(file.mode), "closed": repr(file.closed)}
        return held.get(name) or f"#{label}.{name}"

    # -- calls

    def _call(self, builder: FrameBuilder, call: ast.Call) -> SourceResult | None:
        whole = self._resolved(builder, call.func)
        owner, _, name = whole.rpartition(".")
        rule = self._rule(builder, whole, owner, name)
        if rule is not None:
            return rule(self._given(builder, call))
        if whole == "iter" and "@files" in self._used and len(call.args) == 1:
            return self._iterator(builder, call.args[0])
        return None

    def _rule(
        self, builder: FrameBuilder, whole: str, owner: str, name: str
    ) -> Callable[[GivenArguments], SourceResult | None] | None:
        """What the callee does with its arguments; None where it is no source."""
        shared, heap = builder.globals, builder.heap
        if owner == "random" and "@random" in shared:
            return self._random_rule(builder, name)
        if "@clock" in shared and (whole in _MOMENTS or (owner == "time" and name in READINGS | OTHER_READINGS)):
            return lambda given: read_clock(shared["@clock"], whole, given, heap)
        if whole == "input" and "@input" in shared:
            return lambda given: read_input(shared["@input"])
        if whole == "open" and "@files" in shared:
            return lambda given: opened(shared["@files"], given, heap)
        label = label_of(owner)
        content = "" if label is None else heap.get(label, "")
        if label is not None and content.startswith("textfile("):
            return lambda given: used_file(_files(builder), label, name, given, heap=heap)
        if label is not None and content.startswith("rng("):
            return lambda given: self._own_draw(builder, label, name, given)
        return None

    def _random_rule(self, builder: FrameBuilder, name: str) -> Callable[[GivenArguments], SourceResult | None] | None:
        module = builder.globals["@random"]
        if name == "Random":
            return lambda given: made_generator(module, given, builder.heap)
        if name in DRAWS:
            return lambda given: self._module_draw(builder, name, given)
        if name in OTHER_DRAWS:
            return None
        return lambda given: _no_rule(f"random.{name}")

    def _module_draw(self, builder: FrameBuilder, name: str, given: GivenArguments) -> SourceResult:
        found = drawn(builder.globals["@random"], name, _seeded(name, given), builder.heap)
        return SourceResult(found.value, found.raised, (("@random", found.rows[0][1]),), found.contents)

    def _own_draw(self, builder: FrameBuilder, label: int, name: str, given: GivenArguments) -> SourceResult:
        if name not in DRAWS:
            raise Unsupported(f"the method {name!r} of a random generator")
        found = drawn(builder.heap[label], name, _seeded(name, given), builder.heap)
        return SourceResult(found.value, found.raised, (), ((label, found.rows[0][1]), *found.contents))

    def _iterator(self, builder: FrameBuilder, argument: ast.expr) -> SourceResult | None:
        """`iter(file)`, which is the file itself."""
        text = self._variables.atom(builder, argument) if isinstance(argument, ast.Name) else ""
        label = label_of(text)
        if label is None or not builder.heap.get(label, "").startswith("textfile("):
            return None
        if builder.heap[label].endswith(", None)"):
            return SourceResult("None", "ValueError('I/O operation on closed file.')")
        return SourceResult(text)

    def _given(self, builder: FrameBuilder, call: ast.Call) -> GivenArguments:
        if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
            raise Unsupported("a source that is given arguments by * or **")
        read = self._variables.atom
        keywords = tuple((each.arg or "", read(builder, each.value)) for each in call.keywords)
        return GivenArguments(tuple(read(builder, each) for each in call.args), keywords)

    def _write(self, builder: FrameBuilder, found: SourceResult, target: str | None) -> None:
        builder.globals.update(found.rows)
        builder.heap.update(found.contents)
        if found.raised is not None:
            raise Raised(found.raised)
        if target is not None:
            self._variables.bind(builder, target, found.value)


def _seeded(name: str, given: GivenArguments) -> GivenArguments:
    """The arguments of a draw; `seed()` without a seed would read the machine's entropy."""
    if name == "seed" and (len(given.positional) != 1 or given.positional == ("None",) or given.keywords):
        raise Unsupported("a seed that is not given")
    return given


def _files(builder: FrameBuilder) -> str:
    """The row of the files, without which a frame can hold no open file."""
    if "@files" not in builder.globals:
        raise ImpossibleState("an open file in a frame without files")
    return builder.globals["@files"]


def _no_rule(name: str) -> SourceResult:
    raise Unsupported(f"{name}, which no rule follows")

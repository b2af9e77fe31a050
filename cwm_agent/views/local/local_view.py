"""The local view: one line and the values it reads, names rewritten to v0, v1, ...; the answer is its effect.

    v0 = v1.pop()          the line
    v1=#1[4, 5]            the values it reads; an object is written out behind its label at its first place
    ->
    v0=5                   names bound
    del #1[-1]             objects changed
    !IndexError('...')     or the exception raised; `del v0` for a name unbound

The view does not show the program, so a model generalises and its answers can be cached: two lines that do the same to
the same values have the same text.
"""

import ast
import re
from dataclasses import replace

from cwm_agent.views.local.effect_text import ShownQuestion, answer_rows, effect_rows, read_effect
from cwm_agent.views.local.value_display import ValueWriter, is_driven, iterator
from cwm_agent.views.local.value_windows import asked_place
from envs.bounded_cache import MIB, bounded_cache
from envs.execution.state.effects import Effect, Question
from envs.execution.state.value_grammar import (
    Unsupported,
    holds_function,
    is_supported,
    references,
    without_factory,
    without_held_functions,
)

_OUTSIDE = re.compile(r"(?:v\d+ = |with )?(?:open|input)\(")
_MOVES = re.compile(
    r"\w+ = (?:[(\[{].*|\w+\[(?:\w+|'[^']*')\]|\w+|\w+\.(?:get|pop|setdefault)\([^()]*\)|\w+ is (?:not )?\w+|"
    r"(?:\w+|'[^']*') (?:not )?in \w+)$|"
    r"\w+ = (?:iter|len|list|tuple|reversed|type)\(\w+\)$|for \w+ in \w+:$|"
    r"\w+ = (?:\w+\.)?defaultdict\(\w+\)$|\w+ = \w+\.(?:get|pop|setdefault|append|items|values|keys)$|"
    r"\w+(?:, \w+)+ = \w+(?:, \w+)*$|\w+\.append\(\w+\)$|\w+\.insert\(\w+, \w+\)$|"
    r"\w+ = (?:zip|enumerate)\(\w+(?:, \w+)*\)$|\w+\[(?:\w+|'[^']*')\] = \w+$",
    re.DOTALL,
)
"""Lines that put values into containers or take them out, and call nothing."""
_CALL = re.compile(r"(?:\w+ = )?(\w+)\([^()]*\)$")
_GENERATOR = re.compile(r"^(generator\('[^']*').*\)$", re.DOTALL)
_LIBRARY_VALUE = re.compile(r"(?:Match|Pattern|date|datetime|timedelta|Decimal|Fraction|frozenset)\(.*\)$", re.DOTALL)
"""A value of the library that is written out where it stands; a method of it is looked up before its arguments are."""
_METHOD = re.compile(r"(.*)\.([^\W\d]\w*)$", re.DOTALL)


def ask(question: Question) -> ShownQuestion:
    """Return the question in the local view; raise Unsupported if the line depends on more than it reads."""
    # the position of a source tells a model nothing
    if question.hidden or any(name[0] != "@" for name, _ in question.globals):
        raise Unsupported("a line that calls back into the program")
    question = _without_callbacks(question)
    reads = {
        name: text for name, text in question.reads if text != name
    }  # the name of a module imported in the function shows what it is
    methods = tuple((name, match[2]) for name, text in reads.items() if (match := _bound_method(text)))
    line, names = _rewritten(question.statement, tuple(reads), methods)
    if _OUTSIDE.match(line):
        raise Unsupported("a line that asks for what is outside the program")
    given = reads | {name: _receiver(reads[name]) for name, _ in methods}
    heap = dict(question.heap)
    loop = line.startswith("for ")
    driven = loop and any(is_driven(label, heap) for text in given.values() for label in references(text))
    if loop:
        given = {name: iterator(text, heap) for name, text in given.items()}
    applied = loop and any("map(" in text and "#" in text for text in given.values())  # the item is read, not copied
    writer = ValueWriter(heap, "" if driven or applied else line)
    shown = tuple((f"v{index}", given[name]) for index, name in enumerate(names) if name in given)
    target, place = asked_place(line, dict(shown)) or ("", None)
    rows = [f"{name}={writer.value(value, place if name == target else None)}" for name, value in shown]
    text = "\n".join([line, *rows])
    if not is_supported(text):
        raise Unsupported("a value that cannot be written down")
    known = tuple((f"v{index}", name) for index, name in enumerate(names)) + _imported(line)
    return ShownQuestion(
        text, known, writer.order, loop=loop and not driven, statement=line, values=shown, contents=question.heap
    )


def _without_callbacks(question: Question) -> Question:
    """The question, if no function of the program can run in it.

    A generator may hold one: a line that only moves values about gets it by its name alone. Functions that containers
    hold are not called; the question is `hidden` where a line could.
    """
    texts = [without_held_functions(without_factory(text)) for _, text in (*question.reads, *question.heap)]
    if not any(map(holds_function, texts)):
        return question
    moves = _MOVES.match(question.statement) or _calls_mover(question)
    heap = tuple((label, _GENERATOR.sub(r"\1)", text) if moves else text) for label, text in question.heap)
    kept = {label for _, text in question.reads for label in references(text)}
    reached = _reached(kept, dict(heap))
    if moves and not any(dict(heap)[n].startswith(("map(", "filter(")) for n in reached):
        return replace(question, heap=heap)
    if any(holds_function(text) for _, text in question.reads) or any(
        holds_function(without_held_functions(without_factory(dict(heap)[n]))) for n in reached
    ):
        raise Unsupported("a line that calls back into the program")
    return replace(question, heap=heap)


def _calls_mover(question: Question) -> bool:
    """Tell whether a line calls a method of a container that only moves values, which a variable holds."""
    match = _CALL.match(question.statement)
    method = _bound_method(dict(question.reads).get(match[1], "?")) if match else None
    return method is not None and method[2] in ("get", "pop", "setdefault", "append")


def _reached(labels: set[int], heap: dict[int, str]) -> set[int]:
    found: set[int] = set()
    while labels:
        label = labels.pop()
        found.add(label)
        labels |= set(references(heap.get(label, ""))) - found
    return found & heap.keys()


def answer(asked: ShownQuestion, effect: Effect) -> str:
    """Return an effect as the model should write it, scratchpad included: computes it, so it is for training data."""
    return "\n".join(answer_rows(asked, effect))


def effect_answer(asked: ShownQuestion, effect: Effect) -> str:
    """Return an effect as an answer without a scratchpad."""
    return "\n".join(effect_rows(asked, effect))


def effect(asked: ShownQuestion, written: str) -> Effect:
    """Return the effect of an answer; raise MalformedAnswer with the reason if it holds none."""
    return read_effect(asked, written.split("\n") if written else [], own_names=False)


def _bound_method(text: str) -> re.Match[str] | None:
    """Match a bound method's receiver and name; `str.upper` and `math.floor` are plain names."""
    match = _METHOD.match(text)
    if match is None or text[-1] in "'\"":
        return None
    return (
        match
        if text[0] in "#'\"([{-0123456789" or text.startswith(("b'", 'b"')) or _LIBRARY_VALUE.match(match[1])
        else None
    )


def _receiver(text: str) -> str:
    match = _bound_method(text)
    assert match
    return match[1]


def _imported(line: str) -> tuple[tuple[str, str], ...]:
    """Return the names that an import binds: they stay unchanged in the line."""
    if not line.startswith(("import ", "from ")):
        return ()
    (node,) = ast.parse(line).body
    assert isinstance(node, ast.Import | ast.ImportFrom)
    bound = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return tuple((name, name) for name in bound)


@bounded_cache(8 * MIB, per_character=4)
def _rewritten(
    statement: str, reads: tuple[str, ...], methods: tuple[tuple[str, str], ...]
) -> tuple[str, tuple[str, ...]]:
    """Return the line with its variables renamed, and their real names in order of appearance."""
    header = statement.startswith("for ")
    tree = ast.parse(f"{statement} pass" if header else statement).body[0]
    renamer = _Renamer(frozenset(reads), dict(methods))
    text = ast.unparse(renamer.visit(tree))
    return (text.partition(":\n")[0] if header else text), tuple(renamer.names)


class _Renamer(ast.NodeTransformer):
    """Renames variables to v0, v1, ...; a name that holds a bound method becomes that method of its receiver."""

    def __init__(self, reads: frozenset[str], methods: dict[str, str]) -> None:
        self._reads = reads
        self._methods = methods
        self.names: list[str] = []

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name ast gives it
        if isinstance(node.ctx, ast.Load) and node.id not in self._reads:
            return node
        renamed = ast.Name(self._renamed(node.id), node.ctx)
        method = self._methods.get(node.id)
        return ast.Attribute(renamed, method, ast.Load()) if method and isinstance(node.ctx, ast.Load) else renamed

    def _renamed(self, name: str) -> str:
        if name not in self.names:
            self.names.append(name)
        return f"v{self.names.index(name)}"

"""Facts about a question of the local view: its operation, the type its answer gives, whether it works on a string.

    v0 = v1.replace(v2, 'a')        operation `str.replace`, type `str`, works on a string
    v1='tram'
    v2='r'
    ->  v0='taam'

All is read from the text: the line by `ast`, the types from the values as written. Runs nothing.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from cwm_agent.training.example import Example
from cwm_agent.training.steps.line_constructs import construct
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.stepper.values.value_rules import closing
from envs.execution.stepper.values.value_types import type_name

TYPES = ("str", "int", "float", "bool", "list", "dict", "other")
"""Types that are counted apart; `other` are tuples, sets, iterators, functions, None, exceptions and empty answers."""
MAKERS = frozenset({"str", "repr", "ascii", "chr", "format", "bin", "oct", "hex"})
"""Functions that make a string of any value."""
_OBJECT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|#(?P<label>\d+)(?=[\[{A-Za-z_])""", re.DOTALL)
_WRITTEN_OUT = re.compile(r"#\d+(?=[\[{A-Za-z_])")
_METHOD = re.compile(r"""(?:['"\])}]|\d)\.[^\W\d]\w*$""")
"""The end of a method with its receiver, as in `'tram'.upper` or `#1.append`."""
_GROWN = re.compile(r"\.\.[-+|]|(?=.*\+\.\.$)", re.DOTALL)
_CHANGED = re.compile(r"(?:del )?#(?P<label>\d+)(?=[=\[])")
_BOUND = re.compile(r"[^\W\d]\w*=(?P<text>.+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LineFact:
    """What tables count a question by."""

    type: str
    """Type of the first value that the answer gives or changes, of `TYPES`."""
    operation: str
    """Construct of the line, as `str.replace`, `+ int`, `item list`."""
    string: bool
    """Whether the operation works on a string or makes one of another value."""
    size: int
    """Bytes of question and answer."""


def fact_of(example: Example) -> LineFact:
    """The facts about one question."""
    line, *rows = example.query.decode().split("\n")
    shown = dict(row.partition("=")[::2] for row in rows)
    heap = _objects(rows)
    kinds = {name: _type(text, heap) for name, text in shown.items()}
    node = ast.parse(f"{line}: pass" if line.startswith("for ") else line).body[0]
    return LineFact(
        type=answer_type(example.answer.decode(), heap),
        operation=construct(node, kinds).removesuffix(" constant"),
        string=_works_on_string(node, kinds),
        size=len(example.query) + len(example.answer),
    )


def answer_type(answer: str, heap: Mapping[int, str]) -> str:
    """The type of the first value of an answer, its scratchpad left out; `heap` has the objects of the question."""
    row = next((each for each in answer.split("\n") if each[:1] != "~"), "")
    if changed := _CHANGED.match(row):
        found = _type(f"#{changed['label']}", heap)
    elif bound := _BOUND.match(row):
        found = _type(_GROWN.sub("", bound["text"], count=1).removesuffix("+.."), heap)
    else:
        found = "other"
    return found if found in TYPES else "other"


def _objects(rows: list[str]) -> dict[int, str]:
    """The objects that a question writes out, by their labels."""
    found: dict[int, str] = {}
    for row in rows:
        for match in _OBJECT.finditer(row):
            if match["label"] is not None:
                start = match.end()
                found[int(match["label"])] = row[start : _end(row, start)]
    return found


def _end(row: str, start: int) -> int:
    """Where an object's content ends; of a row that shows a part of it only, the end of the row."""
    try:
        return closing(row, start)
    except ImpossibleState:
        return len(row)


def _type(text: str, heap: Mapping[int, str]) -> str:
    """The name of a value's type; a method or a function by its own name, and `other` where the text does not say."""
    text = _WRITTEN_OUT.sub("", text, count=1) if _WRITTEN_OUT.match(text) else text
    if _METHOD.search(text) and text[:1] in "#'\"[({":
        return f"{_type(text.rpartition('.')[0], heap)}.{text.rpartition('.')[2]}"
    try:
        return type_name(text, heap)
    except Unsupported:
        return text if re.fullmatch(r"[\w.]+", text) else "other"
    except (KeyError, IndexError):
        return "other"


def _works_on_string(node: ast.stmt, kinds: Mapping[str, str]) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            return _is_string_work(value, kinds)
        case ast.AugAssign(target=target):
            return _is_string(target, kinds)
        case _:
            return False


def _is_string_work(value: ast.expr, kinds: Mapping[str, str]) -> bool:
    match value:
        case ast.JoinedStr():
            return True
        case ast.Call(func=ast.Name(id=name), args=args):
            makes = name in MAKERS or kinds.get(name, "").startswith("str.")
            return makes or any(_is_string(each, kinds) for each in args[:1])
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=args) if name not in kinds:  # of a module
            return any(_is_string(each, kinds) for each in args[:1])
        case ast.Call(func=ast.Attribute(value=held)) | ast.Subscript(value=held):
            return _is_string(held, kinds)
        case ast.BinOp(left=left, right=right):
            return _is_string(left, kinds) or _is_string(right, kinds)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return _is_string(right, kinds)
        case ast.Compare(left=left):
            return _is_string(left, kinds)
        case _:
            return False


def _is_string(value: ast.expr, kinds: Mapping[str, str]) -> bool:
    match value:
        case ast.Name(id=name):
            return kinds.get(name) == "str"
        case ast.Constant(value=constant):
            return isinstance(constant, str)
        case ast.JoinedStr():
            return True
        case _:
            return False

"""Fuzzes the readers of values: constants in task files, and the value texts of frames."""

from hypothesis import strategies as st

from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import changed_text, nested, pieces, repeated
from benchmarks.fuzzers.wire_values import VALUES
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.text.object_builder import ObjectBuilder
from tasks.errors import NotPlain
from tasks.value import read_value, write_value

WORDS = [
    "(", ")", "[", "]", "{", "}", ",", ":", " ", "+", "-", "*", "**", "//", "%", "/", "~", "not ", "<<", "1", "0",
    "1.5",
    "9" * 30, "1e308", "2j", "'a'", "b'x'", "''", "nan", "inf", "float(", "set(", "dict(", "list(", "tuple(",
    "frozenset(",
    "None", "True", "...", "x", "f(", ".a", "lambda: ", "**{", "for x in ", "'%s'", "10**9", "[0]*9", "'x'*99999",
]  # fmt: skip
LABELLED = ["#1", "#2", "#3", "#99", "iter(#1, 0)", "range(0, 5)", "slice(1, None, None)", "f@1(", "; ", "Box(n=",
    "len",
            "str.upper", "keys(#2)", "ValueError('no')", "deque(", "defaultdict(", "Counter({", "?x", ".__class__",
            "os", "="]  # fmt: skip
HEAP = {1: "[1, #2]", 2: "{'a': #1}", 3: "{1, 2}"}


def _texts() -> st.SearchStrategy[Data]:
    deep = nested("[", "1", "]") | nested("(", "1,", ")") | nested("-", "1", "") | nested("f(", "", ")", 300)
    long = repeated(["1+", "[0]+", "(0,)+", "2**", "9*", "'a'*9*", "1,", "-", "not ", "(0,)*9*"], 300).map(
        lambda text: text + "1"
    )
    valid = VALUES.map(repr)
    return valid | changed_text(valid, WORDS) | pieces(WORDS, 16) | deep | long


def _read(data: Data) -> str:
    try:
        value = read_value(data)
    except NotPlain:
        return "NotPlain"
    try:
        text = write_value(value)
    except NotPlain:
        return "not written"
    # Sets of nan have no order, and Python's repr of a complex number loses the sign of a zero.
    assert write_value(read_value(text)) == text or "nan" in text or "j" in text
    return type(value).__name__


def _frame_texts() -> st.SearchStrategy[Data]:
    words = [*WORDS, *LABELLED]
    return (
        changed_text(VALUES.map(repr), words)
        | pieces(words, 16)
        | nested("[", "#1", "]", 300)
        | nested("(", "", ")", 300)
    )


def _rebuild(data: Data) -> str:
    """Python's own objects from a value's text; runs in the sandbox only, so slow texts hurt nobody else."""
    builder = ObjectBuilder(HEAP | {4: data}, {"Box": type("Box", (), {}), "x": 1}, {})
    try:
        return type(builder.value(data if "#4" not in data else "#4")).__name__
    except (Unsupported, ImpossibleState) as error:
        return type(error).__name__


FUZZERS = (
    Fuzzer("constants", "a constant in a task file is folded within its budget, or NotPlain", _texts, _read),
    Fuzzer("frame-values", "a value's text gives an object, or Unsupported", _frame_texts, _rebuild),
)

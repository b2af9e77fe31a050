"""Fuzzes the texts in which models write edits: the policy's notation, and programs in answers."""

from hypothesis import strategies as st

from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import ODD, changed_text, pieces, repeated
from cwm_agent.agent.repair.proposals.model_edits import edits_in
from cwm_agent.policy.edit_notation import edit_text, numbered_lines, parse_edit

SOURCES = [
    "def f(x):\n    return x + 1\n",
    "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total",
    "def g(y):\n\treturn y\r\n\r\ndef f(x):\n    return g(x)  # \x0c é\n",
    "",
]
WORDS = [
    "1", "2", "-", "=", "+", "0", "1-2=", "2+", "    return x", "\n", "```python\n", "```", "def f(x):\n",
    "    return 1\n", "9" * 5_000,
]  # fmt: skip


def _notations() -> st.SearchStrategy[Data]:
    valid = st.sampled_from(["1=def f(y):", "2=    return x - 1", "2-3=", "2+    x = 2", "1-2=a\nb"])
    return st.tuples(valid | changed_text(valid, WORDS) | pieces(WORDS), st.integers(0, len(SOURCES) - 1)).map(list)


def _check_notation(data: Data) -> str:
    text, source = data[0], SOURCES[data[1]]
    edit = parse_edit(text, source)
    if edit is None:
        return "no edit"
    after = edit.apply(source)
    again = edit_text(source, after)
    numbered_lines(after)
    if again is None:
        return "nothing changed"
    repeated_edit = parse_edit(again, source)
    assert repeated_edit is not None
    assert repeated_edit.apply(source).splitlines() == after.splitlines()
    return "an edit"


def _answers() -> st.SearchStrategy[Data]:
    fenced = st.sampled_from(SOURCES).map(lambda source: f"So:\n```python\n{source}\n```\n")
    long = repeated(["```", "```python\n", "(", "def f(x):\n", "\n", *ODD[:4]], 2_000)
    texts = fenced | changed_text(fenced, WORDS) | pieces(WORDS, 30) | long
    return st.tuples(texts, st.integers(0, len(SOURCES) - 1)).map(list)


def _check_answer(data: Data) -> str:
    text, source = data[0], SOURCES[data[1]]
    found = list(edits_in(text, source, "f"))
    for edit in found:
        edit.apply(source)
    return f"{min(len(found), 2)} edits"


FUZZERS = (
    Fuzzer("edit-notation", "a policy's text is an edit that fits, or None", _notations, _check_notation),
    Fuzzer("edit-answers", "a language model's answer holds edits, or none", _answers, _check_answer),
)

"""The level `characters` goes through strings character by character, with the same results."""

import pytest

from benchmarks.program_checks.behaviour import BehaviourRecorder, observe
from envs.execution.decompose.decomposition import decompose


@pytest.mark.parametrize(
    "expression",
    [
        "s[::-1]",
        "s.upper()",
        "s.lower()",
        "s.swapcase()",
        "s.count('a')",
        "s.find('n')",
        "s.replace('a', 'oo')",
        "'a' in s",
        "'a' not in s",
        "s == t",
        "s != t",
        "s.isdigit()",
        "s.isalpha()",
        "(s + t).upper()[::-1].count('A')",
    ],
)
@pytest.mark.parametrize("words", [("banana", "Abba"), ("", ""), ("ΑΣ ß", "12"), ("12", "12")])
def test_characters_unroll_strings_whose_type_is_certain(expression: str, words: tuple[str, str]) -> None:
    """Same result character by character, also for text whose case depends on its neighbours."""
    source = f"def f(a, b):\n    s = str(a)\n    t = f'{{b}}'\n    return {expression}\n"
    decomposed = decompose(source, "f", level="characters")
    assert decomposed.unrolled
    call = ", ".join(map(repr, words))
    before = observe(source, "f", call, BehaviourRecorder(1000))
    assert before == observe(decomposed.source, "f", call, BehaviourRecorder(1000))


@pytest.mark.parametrize("value", ["'Banana'", "[1, 'a', 2]", "('a',)", "b'aBa'", "3", "None"])
@pytest.mark.parametrize("expression", ["s.upper()", "s[::-1]", "s.count('a')", "'a' in s", "s.replace('a', '')"])
def test_characters_guard_values_of_unknown_type(expression: str, value: str) -> None:
    """A parameter may be anything: only a real str takes the loop, all else behaves as before, errors included."""
    source = f"def f(s):\n    return {expression}\n"
    decomposed = decompose(source, "f", level="characters")
    assert decomposed.unrolled
    before = observe(source, "f", value, BehaviourRecorder(1000))
    assert before == observe(decomposed.source, "f", value, BehaviourRecorder(1000))

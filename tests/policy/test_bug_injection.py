"""Injected bugs: the answer of every example removes its own bug and leaves the others."""

import ast
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from cwm_agent.policy.edit_notation import parse_edit
from cwm_agent.training.example import HELD_OUT_SEED, SourceError
from cwm_agent.training.policy import policy_examples
from cwm_agent.training.policy.bug_injection import bugs_of
from cwm_agent.training.policy.corpus import functions_of, main
from cwm_agent.training.policy.policy_examples import examples_of, repairs, with_bugs

MODULE = '''LIMIT = 10


def clipped(value, low=0):
    """The value between two limits.

    A second paragraph that is cut.
    """
    if value < low and not value == -1:
        return low
    elif value > LIMIT:
        return LIMIT
    else:
        return value


class Box:
    @property
    def area(self):
        width, height = self.size[0], self.size[1]
        return abs(width) * height if width > 0 else None

    def test(self):
        return self.size == 1


def table(rows, names):
    found = {}
    for at, row in enumerate(rows):
        for name in names[:2]:
            if name in row:
                found[name] = found.get(name, 0) + row[name] - 1
                continue
            found[name] += clipped(at, 3)
        if not row:
            break
    while len(found) > 4 or "last" in found:
        found.popitem()
    return sorted(found, key=len, reverse=True), [x for x in range(1, len(rows)) if x % 2]
'''

FIRST_KINDS = frozenset(
    "variable comparison number forgotten forgotten-condition forgotten-branch forgotten-else forgotten-several "
    "arithmetic one-off condition-drop condition-add operand-drop operand-add unwrapped slice attribute text target "
    "twice order loop-word statement-add start".split()
)


def programs() -> list[str]:
    return [row.source for row in functions_of(MODULE)]


def test_a_function_comes_with_what_it_needs_of_its_module() -> None:
    found = {source.split("def ")[-1].split("(")[0]: source for source in programs()}
    assert found.keys() == {"clipped", "area", "table"}
    assert found["clipped"].startswith("LIMIT = 10\n")
    assert "second paragraph" not in found["clipped"]
    assert "def clipped" in found["table"]
    assert all(ast.parse(source) for source in programs())


def test_plain_functions_weigh_more() -> None:
    weights = {row.name: row.weight for row in functions_of(MODULE)}
    assert weights["clipped"] > weights["area"]


@pytest.mark.parametrize("source", programs())
def test_each_answer_removes_its_own_bug(source: str) -> None:
    rng = Random(1)
    for _ in range(200):
        made = list(examples_of(source, rng))
        for example in made:
            lines = example.context.decode().splitlines()
            buggy = "".join(line.partition(" ")[2] + "\n" for line in lines)
            ast.parse(buggy)
            edit = parse_edit(example.answer.decode(), buggy)
            assert edit is not None
            repaired = edit.apply(buggy)
            if len(made) == 1:
                assert repaired.splitlines() == source.splitlines()
            assert repaired != buggy


def test_no_example_changes_the_text_alone() -> None:
    """Brackets that nobody needs, for one, are no bug where they are missing."""
    source = "def f(a, b):\n    if a or (b and a > 1):\n        return b\n    return (a and b) or b\n"
    rng = Random(1)
    for example in [each for _ in range(400) for each in examples_of(source, rng)]:
        buggy = "".join(line.partition(" ")[2] + "\n" for line in example.context.decode().splitlines())
        edit = parse_edit(example.answer.decode(), buggy)
        assert edit is not None
        assert ast.dump(ast.parse(edit.apply(buggy))) != ast.dump(ast.parse(buggy))


def test_every_class_of_bug_is_found_somewhere() -> None:
    kinds: Counter[str] = Counter()
    for source in programs():
        for seed in range(40):
            kinds.update(bugs_of(source, Random(seed)).keys())
    assert kinds.keys() >= FIRST_KINDS


def test_a_range_of_comparisons_loses_one_end() -> None:
    source = "def inside(x, low, high):\n    y = x\n    return low <= y < high\n"
    drops = {with_bugs(source, [bug]) for seed in range(9) for bug in bugs_of(source, Random(seed))["condition-drop"]}
    assert {text.splitlines()[-1].strip() for text in drops} == {"return low <= y", "return y < high"}


def test_an_else_is_forgotten_with_its_body_left() -> None:
    source = (
        "def sign(x):\n    y = 1\n    if x > 0:\n        y = 2\n    else:\n        y = 3\n        x = 4\n    return y\n"
    )
    [bug] = bugs_of(source, Random(0))["forgotten-else"]
    assert "y = 2\n    y = 3\n    x = 4\n    return" in with_bugs(source, [bug])


def test_numbers_without_an_end_do_not_stop_the_search() -> None:
    source = "def worst(xs):\n    best = 1e999\n    for x in xs:\n        best = min(best, x * 0.5)\n    return best\n"
    assert all(bugs_of(source, Random(seed)) for seed in range(20))


def test_a_bug_changes_the_program() -> None:
    for source in programs():
        for bugs in bugs_of(source, Random(3)).values():
            for bug in bugs:
                assert with_bugs(source, [bug]) != source, bug


def test_the_same_seed_gives_the_same_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    out = tmp_path / "functions.jsonl.xz"
    assert main([str(tmp_path), "--out", str(out)]) == 0
    monkeypatch.setenv(policy_examples.CORPUS, str(out))
    policy_examples._functions.cache_clear()
    one, other = repairs(7), repairs(7)
    assert [next(one) for _ in range(50)] == [next(other) for _ in range(50)]
    policy_examples._functions.cache_clear()


def test_held_out_functions_are_never_trained_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"source": f"def f(x):\n    y = {n}\n    return x + y\n", "weight": 1.0} for n in range(400)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setenv(policy_examples.CORPUS, str(path))
    policy_examples._functions.cache_clear()
    trained, held = (set(policy_examples._functions(each)[0]) for each in (False, True))
    assert held
    assert not trained & held
    assert len(trained) + len(held) == 400
    assert next(repairs(HELD_OUT_SEED))
    policy_examples._functions.cache_clear()


def test_without_a_corpus_the_error_says_how_to_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(policy_examples.CORPUS, raising=False)
    policy_examples._functions.cache_clear()
    with pytest.raises(SourceError, match=r"cwm_agent\.training\.policy\.corpus"):
        next(repairs(0))

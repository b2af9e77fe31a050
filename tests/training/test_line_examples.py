"""The source of single lines: deterministic, within its limits, varied, and equal to what the view shows."""

import calendar
import os
import re
import subprocess
import sys
from collections import Counter, OrderedDict
from itertools import islice, permutations, product, repeat
from random import Random
from types import MappingProxyType

import pytest

from cwm_agent.training.example import Example
from cwm_agent.training.patterns.composed_patterns import MAKERS
from cwm_agent.training.patterns.format_patterns import FORMAT_MAKERS
from cwm_agent.training.patterns.pattern import BadPattern, Pattern, pattern_family, patterns
from cwm_agent.training.steps import line_labels
from cwm_agent.training.steps.line_examples import ANSWER_LIMIT, QUERY_LIMIT, library_lines, lines
from cwm_agent.training.steps.line_labels import line_example
from cwm_agent.training.values import MODULES, RECIPES
from cwm_agent.training.values.common_operands import short_number
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import ShownQuestion
from cwm_agent.views.scratchpad.scratchpad import SIGN
from envs.execution.state.effects import Effect
from envs.execution.state.value_grammar import is_supported

COUNT = 2500


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return list(islice(lines(11), COUNT))


def test_the_same_seed_gives_the_same_examples_in_any_process() -> None:
    """Even where strings hash differently, so no order of a set leaks into an example."""
    code = "from itertools import islice; from cwm_agent.training.steps.line_examples import lines; import hashlib;"
    code += "print(hashlib.md5(repr(list(islice(lines(11), 1200))).encode()).hexdigest())"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_no_recipe_hides_another_of_the_same_name() -> None:
    """Tables name recipes without their module, so one name must mean one recipe."""
    own = [
        name
        for module in MODULES
        for name, recipe in vars(module).items()
        if getattr(recipe, "__module__", None) == module.__name__ and name in RECIPES
    ]
    assert [name for name, count in Counter(own).items() if count > 1] == []


def test_another_seed_gives_other_examples(examples: list[Example]) -> None:
    assert not {each.query for each in islice(lines(12), 50)} >= {each.query for each in examples[:50]}


def test_examples_stay_within_their_limits(examples: list[Example]) -> None:
    assert all(len(each.query) <= QUERY_LIMIT and len(each.answer) <= ANSWER_LIMIT for each in examples)
    mean = sum(len(each.query) + len(each.answer) for each in examples) / COUNT
    assert 40 < mean < 110


def test_no_example_contains_an_unsupported_value(examples: list[Example]) -> None:
    rows = [row for each in examples for row in each.answer.decode().splitlines() if not row.startswith(SIGN)]
    assert all(map(is_supported, rows))
    assert not [each for each in examples if b" at 0x" in each.answer]


def test_every_answer_can_be_parsed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsing an answer and writing it again gives the same answer."""
    written = local_view.answer

    def checked(asked: ShownQuestion, effect: Effect) -> str:
        text = written(asked, effect)
        assert written(asked, local_view.effect(asked, text)) == text
        return text

    monkeypatch.setattr(line_labels.local_view, "answer", checked)
    assert len(list(islice(lines(7), COUNT))) == COUNT


def test_an_answer_is_read_the_same_with_its_workings_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that were trained before some workings existed leave them out."""
    written, worked = local_view.answer, Counter[bool]()

    def checked(asked: ShownQuestion, effect: Effect) -> str:
        text = written(asked, effect)
        rows = [row for row in text.split("\n") if not row.startswith(SIGN)]
        assert local_view.effect(asked, "\n".join(rows)) == local_view.effect(asked, text)
        worked[rows != text.split("\n")] += 1
        return text

    monkeypatch.setattr(line_labels.local_view, "answer", checked)
    rng = Random(5)
    for pattern in pattern_family("reckoned"):
        for drawn in (pattern.draw(rng) for _ in range(10)):
            line_example(drawn.statement, drawn.values, drawn.kind, constants=drawn.constants)
    assert worked[True] > worked[False]


def test_a_few_percent_raise_and_all_common_errors_occur(examples: list[Example]) -> None:
    kinds = Counter(each.kind for each in examples)
    raised = {kind: count for kind, count in kinds.items() if kind.startswith("raises.")}
    assert 0.02 < sum(raised.values()) / COUNT < 0.07
    common = ("TypeError", "ValueError", "IndexError", "KeyError", "AttributeError")
    assert {f"raises.{name}" for name in common} <= raised.keys()


def test_there_are_many_kinds_of_lines_and_few_duplicates(examples: list[Example]) -> None:
    assert len({each.kind for each in examples}) > 150
    assert len({each.query for each in examples}) > 0.9 * COUNT


@pytest.mark.parametrize("table", [pattern_family("strings"), pattern_family("numbers")])
def test_a_constant_given_by_name_is_shown_as_a_literal(table: tuple[Pattern, ...]) -> None:
    """Compiling a line once for all its constants changes nothing in the example."""
    rng, twin = Random(5), Random(5)
    for pattern in table:
        drawn, same = pattern.draw(rng), pattern.draw(twin)
        written = same.statement
        for name, value in drawn.constants.items():
            written = written.replace(name, repr(value))
        plain = line_example(written, same.values, "")
        assert line_example(drawn.statement, drawn.values, "", constants=drawn.constants) == plain


@pytest.mark.parametrize("maker", [maker for maker, _ in (*MAKERS, *FORMAT_MAKERS)])
def test_composed_lines_can_be_run(maker) -> None:  # type: ignore[no-untyped-def]
    rng = Random(3)
    made = [maker(rng) for _ in range(40)]
    assert (
        sum(line_example(each.statement, each.values, "", constants=each.constants) is not None for each in made) > 25
    )


def test_membership_and_comparison_are_true_about_half_of_the_time() -> None:
    """Tests that are nearly always false would teach nothing."""
    answers = Counter[tuple[str, bytes]]()
    for each in islice(lines(21), 20_000):
        if each.answer in (b"v0=True", b"v0=False"):
            answers[each.kind, each.answer] += 1
    for kind in ("in.str", "in.list", "in.dict", "str.startswith", "compare.int", "list.compare"):
        true, false = answers[kind, b"v0=True"], answers[kind, b"v0=False"]
        assert 0.25 < true / (true + false) < 0.75, kind


def test_short_numbers_are_spread_over_all_lengths() -> None:
    """Long runs have many numbers of two and three digits, but most recipes draw one digit."""
    rng = Random(2)
    lengths = Counter(len(str(abs(short_number(rng)))) for _ in range(3000))
    assert min(lengths[length] for length in (1, 2, 3)) > 700


@pytest.mark.parametrize("pattern", pattern_family("everyday"))
def test_common_lines_can_be_run(pattern: Pattern) -> None:
    rng = Random(4)
    drawn = [pattern.draw(rng) for _ in range(12)]
    assert (
        sum(line_example(each.statement, each.values, "", constants=each.constants) is not None for each in drawn) > 8
    )


def test_a_line_that_corrupts_its_values_does_not_affect_the_next() -> None:
    """An ordered dict changed through `dict.popitem` has no text form any more."""
    assert line_example("o = dict.popitem(a)", {"a": OrderedDict(b=[1])}, "") is None
    following = line_example("o = a + 1", {"a": 1}, "")
    assert following is not None
    assert following.answer == b"v0=2"


def test_drawing_twice_never_shares_an_object() -> None:
    """Running a line changes its values; the next line must not see that."""
    rng = Random(1)
    for recipe in RECIPES.values():
        if recipe.__code__.co_argcount == 1:
            first, second = recipe(rng), recipe(rng)
            assert first is not second or not isinstance(first, list | dict | set)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("str.find  S.find(A)  S=text A=part:S", id="no-weight"),
        pytest.param("str.find  1  S.find(A)  S=text A=nonsense:S", id="unknown-recipe"),
        pytest.param("str.find  1  S.find(A)  S=text A", id="no-recipe"),
    ],
)
def test_a_bad_row_is_refused_with_the_row(row: str) -> None:
    with pytest.raises((BadPattern, ValueError)):
        patterns(row)


def test_a_slot_that_the_template_does_not_name_is_held_but_not_read() -> None:
    """The iterator under a slice moves on, and the line says so, although it reads the slice alone."""
    row = "shared  1  list(A)  S!=number_source A!=window_on:S"
    drawn = patterns(row)[0].draw(Random(3))
    assert set(drawn.values) == {"a", "s"}
    source = iter([3, 4, 5, 6])
    held: dict[str, object] = {"a": islice(source, 2), "s": source}
    found = line_example("o = list(a)", held, "")
    assert found is not None
    assert found.answer == b"v0=[3, 4]\n#1=iter()\n#2=iter(#3, 2)"


def test_a_slice_that_ends_says_where_its_source_stands_even_if_nothing_else_holds_it() -> None:
    """The question does not show whether another name holds the source, so the answer is the same in both cases."""
    found = line_example("o = list(a)", {"a": islice(iter([3, 4, 5, 6]), 2)}, "")
    assert found is not None
    assert found.answer == b"v0=[3, 4]\n#1=iter()\n#2=iter(#3, 2)"


@pytest.mark.parametrize("ended", [repeat(9, 0), permutations([1, 2], 3), product([], [1]), islice([1, 2], 0)])
def test_an_ended_iterator_of_the_library_is_not_shown_with_none_as_its_next_item(ended: object) -> None:
    """Else one question has two right answers: that the loop ends, and that its next item is None."""
    found = line_example("for o in a:", {"a": ended}, "")
    assert found is not None
    assert (found.query, found.answer) == (b"for v0 in v1\nv1=iter([])", b"!StopIteration()")
    going_on = line_example("for o in a:", {"a": repeat(None)}, "")
    assert going_on is not None
    assert (going_on.query, going_on.answer) == (b"for v0 in v1\nv1=iter([None, ...])", b"v0=None")


def test_a_read_only_view_of_a_dict_shows_the_dict() -> None:
    found = line_example("o = a[k]", {"a": MappingProxyType({"x": 1}), "k": "x"}, "")
    assert found is not None
    assert found.query == b"v0 = v1[v2]\nv1=mappingproxy(#1{'x': 1})\nv2='x'"


def test_equal_questions_have_equal_answers() -> None:
    """Of lines without a program around them; a function that is looked up is named as the program imports it."""
    answers: dict[bytes, set[bytes]] = {}
    for each in (*islice(lines(12), 1500), *islice(library_lines(12), 3000)):
        if b"(" in each.query or b"\n" in each.query:
            answers.setdefault(each.query, set()).add(each.answer)
    assert {query: found for query, found in answers.items() if len(found) > 1} == {}


def test_a_bound_method_in_a_tuple_keeps_its_name() -> None:
    one = RECIPES["actor"](Random(1))
    found = line_example("o = (a, b.arrive, c)", {"a": 3, "b": one, "c": ()}, "")
    assert found is not None
    assert found.answer == b"v0=(3, #1.arrive, ())"


def test_no_own_class_hides_another_of_the_same_name() -> None:
    own = [name for module in MODULES for name in vars(module).get("KINDS", ())]
    assert [name for name, count in Counter(own).items() if count > 1] == []


def test_months_are_told_by_numbers_in_every_version_and_the_library_stays_as_it_is() -> None:
    """Python 3.12 made weekdays members of an enum."""
    before = calendar.weekday
    found = [each for each in islice(library_lines(3), 6000) if each.kind == "calendar.monthrange"]
    assert any(re.fullmatch(rb"(?s)(~.*\n)?v\d=\([0-6], (28|29|30|31)\)", each.answer) for each in found)
    assert calendar.weekday is before

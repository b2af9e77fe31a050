"""Claims about unlikely and conditional edits: all results compile, and missing code is among them."""

import pytest

from envs.domains.repair_core import expected_constants
from envs.editing.class_priors import ASSUMED, PROPOSED, is_likely
from envs.editing.edit import Edit
from envs.editing.edit_generation import edits, uncompiled_edits, unlikely_edits
from envs.editing.fingerprint import fingerprint
from envs.editing.source_text import SourceText
from envs.editing.unlikely.guarded_edits import accepts_condition, conditional_edits
from envs.editing.unlikely.place_conditions import candidate_conditions
from tasks import RepairTask, load

PRICE = """\
def price(text):
    whole, _, part = text.partition(".")
    if part == "":
        part = "00"
    if len(part) != 2:
        return None
    return int(whole) * 100 + int(part)
"""


@pytest.mark.parametrize("task", load("repair").tasks[::12], ids=lambda task: task.id)
def test_unlikely_edits_make_programs_that_no_likely_edit_makes(task: RepairTask) -> None:
    expected = expected_constants(task.tests)
    found = unlikely_edits(task.source, expected)
    assert found
    made = [fingerprint(edit.apply(task.source)) for edit in found]
    common = {fingerprint(edit.apply(task.source)) for edit in edits(task.source, expected)}
    assert None not in made
    assert not common & set(made)
    assert all(Edit.read(str(edit)) == edit for edit in found)
    assert {edit.operator for edit in found} <= set(ASSUMED)


@pytest.mark.parametrize(
    ("source", "before", "after"),
    [
        pytest.param("def f(a):\n    return a // 60\n", "a // 60", "(a + 60 - 1) // 60", id="rounded up"),
        pytest.param("def f(d):\n    return max(d)\n", "max(d)", "max(d, key=lambda each: d[each])", id="by value"),
        pytest.param("def f(xs, i):\n    return xs[i + 1:]\n", "xs[i", "xs[:i] + xs[i", id="all but one"),
        pytest.param("def f(s: str):\n    return s\n", "return s", "return s.strip()", id="a method"),
        pytest.param("def f(a, b):\n    return 2 * (a - b)\n", "a - b", "a - b + 1", id="one more"),
        pytest.param("def f(n):\n    return [n * 2]\n", "n * 2", "max(n * 2, 0)", id="not below"),
        pytest.param(
            "def f(n):\n    if n > 3:\n        n -= 1\n    return n\n", "3:", "3 or n % 2 == 0:", id="condition joined"
        ),
    ],
)
def test_an_expression_can_get_a_missing_operation(source: str, before: str, after: str) -> None:
    repaired = fingerprint(source.replace(before, after))
    assert repaired in {fingerprint(edit.apply(source)) for edit in (*edits(source), *unlikely_edits(source))}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a = 1\nb = n\nc = 2\nreturn b", "b = n\nc = 2\na = 1\nreturn b", id="moved down by two"),
        pytest.param("n += d[k]\nreturn n", "n += d[k]\nd[k] = n\nreturn n", id="stored item"),
        pytest.param("n += 2\nreturn n", "n += 2\nif n > 2:\n    return k\nreturn n", id="early return"),
        pytest.param("k.append(n)\nreturn k", "k.append(n)\nk.pop(0)\nreturn k", id="first item removed"),
        pytest.param("k.append(n)\nreturn k", "if n is not None:\n    k.append(n)\nreturn k", id="not None"),
    ],
)
def test_a_missing_or_misplaced_statement_is_among_the_edits(before: str, after: str) -> None:
    def function(body: str) -> str:
        return "def f(n, d, k):\n" + "".join(f"    {line}\n" for line in body.splitlines())

    source = function(before)
    found = {fingerprint(edit.apply(source)) for edit in (*edits(source), *unlikely_edits(source))}
    assert fingerprint(function(after)) in found


def test_an_inserted_line_is_tried_under_every_condition_of_its_place() -> None:
    line = next(edit for edit in unlikely_edits(PRICE) if "part += '0'" in edit.after and edit.line == 5)
    assert accepts_condition(line)
    found = {edit.after for edit in conditional_edits(PRICE, line)}
    assert "    if len(part) == 1:\n        part += '0'\n" in found
    assert all(fingerprint(edit.apply(PRICE)) for edit in conditional_edits(PRICE, line))


def test_a_changed_statement_stays_as_it_was_where_the_condition_does_not_hold() -> None:
    edit = Edit(4, 15, '"00"', '"0"', operator="constant-other")
    changed = next(each for each in conditional_edits(PRICE, edit) if each.after.startswith("if not whole:"))
    assert '        if not whole:\n            part = "0"\n        else:\n            part = "00"\n' in changed.apply(
        PRICE
    )


def test_an_edit_over_several_lines_has_no_condition() -> None:
    edit = Edit(3, 0, '    if part == "":\n        part = "00"\n', "", operator="branch-delete")
    assert not accepts_condition(edit)
    assert conditional_edits(PRICE, edit) == ()


def test_conditions_use_only_variables_that_are_bound_there() -> None:
    code = SourceText(PRICE)
    first = code.blocks[0].statements[0]
    assert all("part" not in text and "whole" not in text for text in candidate_conditions(code, first))


def test_uncompiled_edits_include_all_compiled_ones() -> None:
    task = load("repair").named("overlap")
    assert isinstance(task, RepairTask)
    assert set(edits(task.source)) <= set(uncompiled_edits(task.source))


def test_listed_edits_and_proposals_are_likely_and_unlikely_edits_are_not() -> None:
    assert all(is_likely([edit]) for edit in edits(PRICE))
    assert is_likely([Edit(1, 0, "", "pass", operator=PROPOSED)])
    assert not any(is_likely([edit]) for edit in unlikely_edits(PRICE))
    [first, *_], [unlikely, *_] = edits(PRICE), unlikely_edits(PRICE)
    assert not is_likely([first, unlikely])
    assert not any(is_likely([edit]) for edit in conditional_edits(PRICE, unlikely))

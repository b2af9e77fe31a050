"""Names that a function binds and never reads: which they are, and that edits which read one come earlier."""

import ast

import pytest

from cwm_agent.agent.repair.evidence.unread_names import SHARE, factors, unread_names
from envs.editing.edit import Edit
from envs.editing.unread_names import unread

PRICES = """\
def total(items, rate):
    result = 0
    for name, price in items:
        result += name
    return result
"""


@pytest.mark.parametrize(
    ("program", "names"),
    [
        (PRICES, ["rate", "price"]),
        ("def f(a):\n    b, c = a\n    return b", ["c"]),
        ("def f(a):\n    n = 0\n    for x in a:\n        n += x\n    return a", ["n"]),
        ("def f(a):\n    for i in range(3):\n        a.pop()", []),
        ("def f(a):\n    for i in range(3):\n        a.pop(i)", []),
        ("def f(a, _b):\n    _, c = a\n    return lambda: c", []),
        ("def f(a):\n    global N\n    N = a", []),
        ("def f(a):\n    b = a\n    del b", []),
        ("def f(self, size):\n    raise NotImplementedError", []),
        ('def f(self, size):\n    """What others write."""', []),
        ("def f(a, *rest, **options):\n    return a", ["rest", "options"]),
    ],
)
def test_names_that_are_bound_and_not_read(program: str, names: list[str]) -> None:
    [function] = ast.parse(program).body
    assert isinstance(function, ast.FunctionDef)
    assert unread(function) == names


def test_parameters_of_methods_that_may_be_inherited_do_not_count() -> None:
    program = "class A(B):\n    def f(self, a):\n        b = 1\n        return 2\n\n\nclass C:\n    def f(self, a):\n        return 2\n"
    assert [(each.name, each.first, each.last) for each in unread_names(program)] == [("b", 2, 4), ("a", 8, 9)]


@pytest.mark.parametrize(
    ("edit", "reads"),
    [
        (Edit(4, 18, "name", "price", "variable"), True),
        (Edit(4, 18, "name", "name * rate", "with-variable"), True),
        (Edit(4, 18, "name", "item", "variable"), False),
        (Edit(4, 22, "", "\n        price = 0", "reset"), False),
        (Edit(4, 22, "", "\n        price //= 2", "augment"), False),
        (Edit(4, 22, "", "\n        result = price", "insert-record"), True),
        (Edit(4, 18, "name", "price == 2", "comparison"), True),
        (Edit(4, 18, "name", "name.price", "attribute"), False),
        (Edit(4, 18, "name", "prices", "variable"), False),
    ],
)
def test_an_edit_reads_a_name_where_its_text_does(edit: Edit, reads: bool) -> None:
    assert any(each.is_read_by(edit) for each in unread_names(PRICES)) is reads


def test_the_fewer_edits_read_a_name_the_likelier_each_is() -> None:
    names = unread_names(PRICES)
    reading, others = Edit(4, 18, "name", "price", "variable"), [Edit(2, 13, "0", str(n), "constant") for n in range(9)]
    assert factors(names, [reading, *others]) == pytest.approx([SHARE * 10, *[(1 - SHARE) * 10 / 9] * 9])
    assert factors(names, others) == [1.0] * 9
    assert factors((), [reading]) == [1.0]
    assert factors(names, []) == []

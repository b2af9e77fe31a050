"""Types of parameters: from annotations of built-in types, else from the arguments of the tests."""

import pytest

from envs.domains.inputs.argument_types import argument_types, type_of
from tasks import CallTest, CodeTest, RepairTask, Test


def task(source: str, *tests: str | Test) -> RepairTask:
    made = tuple(CallTest(each, "None") if isinstance(each, str) else each for each in tests)
    return RepairTask("t", source, "f", made)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([1, -2], "int", id="integers"),
        pytest.param([1, 2.5], "float", id="an integer among floats"),
        pytest.param([True], "bool", id="truth values are no integers"),
        pytest.param([[1], []], "list[int]", id="an empty list beside a full one"),
        pytest.param([[]], "list[int]", id="nothing but empty lists"),
        pytest.param([{"a": [1]}], "dict[str, list[int]]", id="nested"),
        pytest.param([(1, "a"), (2, "b")], "tuple[int, str]", id="tuples of one length"),
        pytest.param([(1,), (1, 2)], "tuple[int, ...]", id="tuples of two lengths"),
        pytest.param(["a", None], "None | str", id="sometimes nothing"),
        pytest.param([{1, 2}], "set[int]", id="a set"),
        pytest.param([1, "a", None, b"x"], None, id="too many types"),
        pytest.param([[1, "a", None, b"x"]], None, id="too many types of items"),
        pytest.param([1j], None, id="no built-in type that inputs are made of"),
    ],
)
def test_the_values_of_tests_give_a_type(values: list[object], expected: str | None) -> None:
    assert type_of(values) == expected


@pytest.mark.parametrize(
    ("source", "tests", "expected"),
    [
        pytest.param("def f(a, b=1): ...", ["[1], b=2", "[3]"], (("a", "list[int]"), ("b", "int")), id="from tests"),
        pytest.param("def f(a, b=1): ...", ["[1]"], (("a", "list[int]"),), id="a default that no test replaces"),
        pytest.param("def f(a: List[float]): ...", ["[1]"], (("a", "list[float]"),), id="an annotation wins"),
        pytest.param("def f(a: Optional[str]): ...", ["'x'"], (("a", "str | None"),), id="an optional"),
        pytest.param("def f(a: Sequence[int]): ...", ["[1]"], (("a", "list[int]"),), id="an annotation of others"),
        pytest.param("def f(a: tuple[int, ...]): ...", ["(1,)"], (("a", "tuple[int, ...]"),), id="any length"),
        pytest.param("def f(*a): ...", ["1"], (), id="any number of arguments"),
        pytest.param("@g\ndef f(a): ...", ["1"], (), id="decorated"),
        pytest.param("class f: ...", [""], (), id="no function"),
        pytest.param("def f(a): ...", ["g(1)"], (), id="no plain argument"),
        pytest.param("def f(a, b): ...", ["1, 1j"], (), id="one unknown type"),
        pytest.param("def f(a): ...", [CodeTest("assert f(1)")], (), id="no test that is a call"),
    ],
)
def test_parameters_have_types_where_all_are_known(
    source: str, tests: list[str | Test], expected: tuple[tuple[str, str], ...]
) -> None:
    assert argument_types(task(source, *tests)) == expected

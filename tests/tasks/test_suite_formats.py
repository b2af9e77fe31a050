"""Tests where people keep them: unittest, fixtures, tables, project layouts; each is read as single tests of a program."""

from pathlib import Path

import pytest

from tasks import CallTest, FunctionTest, RepairTask, load
from tasks.task import Test

PROGRAM = "def add(a, b=1):\n    return a - b\n"


def read(folder: Path, text: str) -> list[Test]:
    """The tests of a program whose test file has this text."""
    (folder / "sums.py").write_text(PROGRAM)
    (folder / "test_sums.py").write_text(text)
    loaded = load(folder / "sums.py")
    assert not loaded.problems, loaded.problems
    [task] = loaded.tasks
    assert isinstance(task, RepairTask)
    return list(task.tests)


def calls(tests: list[Test]) -> list[str]:
    return [f"{test.arguments} -> {test.expected}" for test in tests if isinstance(test, CallTest)]


UNITTEST = """
import unittest
from sums import add

class SumsTest(unittest.TestCase):
    LIMIT = 7

    def setUp(self):
        self.small = 2

    def pair(self, x):
        return (x, self.small)

    def test_equal(self):
        self.assertEqual(add(1, 2), 3)
        self.assertEqual(3, add(1, 2))
        self.assertTrue(add(0))
        self.assertFalse(add(1, -1))
        self.assertAlmostEqual(add(0.5, 0.25), 0.75)

    def test_state(self):
        self.assertEqual(add(self.small, 5), self.LIMIT)

    def test_raises(self):
        with self.assertRaises(TypeError):
            add(None)
        self.assertRaises(TypeError, add, None)

    def test_helper(self):
        self.assertIn(add(*self.pair(1)), [3])

    def test_parts(self):
        for a, b in [(1, 2), (3, 4)]:
            with self.subTest(a=a):
                self.assertEqual(add(a, b), a + b)
"""


def test_a_test_case_of_unittest_becomes_single_tests(tmp_path: Path) -> None:
    found = read(tmp_path, UNITTEST)
    assert "1, 2 -> 3" in calls(found)
    assert "0.5, 0.25 -> 0.75" in calls(found)
    texts = [test.code for test in found if isinstance(test, FunctionTest)]
    assert not any("self." in text or "subTest" in text for text in texts)
    assert any("except TypeError" in text for text in texts)
    assert any("self_pair" in text for text in texts)
    assert any("self_small" in text for text in texts) or "2, 5 -> 7" in calls(found)


def test_an_unknown_assert_method_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text(PROGRAM)
    (tmp_path / "test_sums.py").write_text(
        "import unittest\nfrom sums import add\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertWarns(add, 1)\n    def test_b(self):\n        self.assertEqual(add(1), 2)\n"
    )
    loaded = load(tmp_path / "sums.py")
    assert [problem.field for problem in loaded.problems] == ["test_a"]
    assert len(loaded.tasks) == 1


FIXTURES = """
import pytest
from sums import add

@pytest.fixture
def two():
    return 2

@pytest.fixture()
def pair(two, three):
    yield (two, three)
    print("afterwards")

def test_pair(pair):
    assert add(*pair) == 5
"""


def test_fixtures_of_the_file_and_of_conftest_are_called(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import pytest\n\n@pytest.fixture(scope='module')\ndef three():\n    return 3\n"
    )
    [test] = read(tmp_path, FIXTURES)
    assert isinstance(test, FunctionTest)
    assert "pair = fixture_pair(two, three)" in test.code
    assert "def fixture_three" in test.setup
    assert "afterwards" not in test.setup


def test_a_fixture_of_pytest_itself_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text(PROGRAM)
    (tmp_path / "test_sums.py").write_text(
        "from sums import add\ndef test_a(tmp_path):\n    assert add(1) == 2\ndef test_b():\n    assert add(2) == 3\n"
    )
    loaded = load(tmp_path / "sums.py")
    assert "'tmp_path' is a fixture" in str(loaded.problems[0])
    assert len(loaded.tasks) == 1


TABLE = """
import pytest
from sums import add

CASES = [(1, 2, 3), (4, 5, 9)]

@pytest.mark.parametrize("a, b, total", CASES)
def test_add(a, b, total):
    assert add(a, b) == total

class TestMore:
    @pytest.mark.parametrize("a", [1, pytest.param(2, id="two")])
    def test_method(self, a):
        assert add(a, 0) == pytest.approx(a)
"""


def test_tables_with_a_name_and_of_methods_are_expanded(tmp_path: Path) -> None:
    assert calls(read(tmp_path, TABLE)) == ["1, 2 -> 3", "4, 5 -> 9", "1, 0 -> 1", "2, 0 -> 2"]


RAISES = """
import pytest
from sums import add

def test_message():
    with pytest.raises(TypeError, match='oper.nd') as info:
        add(None)
    assert 'NoneType' in str(info.value)

def test_call():
    pytest.raises(TypeError, add, None)
"""


def test_the_message_and_the_value_of_an_exception_are_looked_at(tmp_path: Path) -> None:
    found = read(tmp_path, RAISES)
    assert len(found) == 3
    texts = [test.code for test in found if isinstance(test, FunctionTest)]
    assert "search('oper.nd', str(raised))" in texts[0]
    assert not any("pytest" in text for text in texts)


def test_asserts_under_if_name_are_tests(tmp_path: Path) -> None:
    block = 'if __name__ == "__main__":\n    assert add(1, 2) == 3\n    print("ok")\n'
    (tmp_path / "sums.py").write_text(f"{PROGRAM}\n{block}")
    [task] = load(tmp_path / "sums.py").tasks
    assert isinstance(task, RepairTask)
    assert calls(list(task.tests)) == ["1, 2 -> 3"]


@pytest.mark.parametrize(
    ("program", "suite", "imports"),
    [
        ("src/shop/sums.py", "tests/test_sums.py", "from shop.sums import add"),
        ("src/shop/sums.py", "tests/shop/test_sums.py", "from shop import add"),
        ("shop/sums.py", "tests/unit/test_everything.py", "from shop.sums import add"),
        ("sums.py", "tests/sums_test.py", "from sums import add"),
        ("shop/sums.py", "shop/tests/test_sums.py", "from ..sums import add"),
    ],
)
def test_the_tests_of_a_project_are_found(tmp_path: Path, program: str, suite: str, imports: str) -> None:
    for name in (program, suite):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / program).write_text(PROGRAM)
    if "/" in program:
        ((tmp_path / program).parent / "__init__.py").write_text("from shop.sums import add\n")
    (tmp_path / suite).write_text(f"{imports}\n\ndef test_add():\n    assert add(1, 2) == 3\n")
    loaded = load(tmp_path / program)
    assert not loaded.problems
    [task] = loaded.tasks
    assert isinstance(task, RepairTask)
    assert calls(list(task.tests)) == ["1, 2 -> 3"]


def test_where_tests_were_looked_for_is_said_if_none_is_found(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "tests").mkdir()
    (tmp_path / "sums.py").write_text(PROGRAM)
    [problem] = load(tmp_path / "sums.py").problems
    assert str(tmp_path / "tests" / "test_sums.py") in problem.message
    assert "docstrings" in problem.message
    assert "--tests" in problem.message


def test_a_folder_of_tests_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "test_a.py").write_text("from sums import add\n\ndef test_a():\n    assert add(1) == 2\n")
    (tmp_path / "checks" / "test_b.py").write_text("def test_b():\n    assert other() == 2\n")
    (tmp_path / "sums.py").write_text(PROGRAM)
    [task] = load(tmp_path / "sums.py", tests=tmp_path / "checks").tasks
    assert isinstance(task, RepairTask)
    assert calls(list(task.tests)) == ["1 -> 2"]


def test_a_class_whose_tests_repeat_a_long_beginning_is_refused_within_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each test method repeats `setUp`: 200 tests after 200 lines would be forty thousand lines."""
    monkeypatch.setattr("tasks.suites.MAX_UNITS", 50_000)
    lines = "".join(f"        self.a{number} = {number}\n" for number in range(200))
    tests = "".join(f"    def test_{number}(self):\n        self.assertEqual(add(1), 2)\n" for number in range(200))
    (tmp_path / "sums.py").write_text(PROGRAM)
    (tmp_path / "test_sums.py").write_text(
        f"import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n{lines}{tests}"
    )
    loaded = load(tmp_path / "sums.py")
    assert any("at most" in problem.message for problem in loaded.problems)


def test_fixtures_that_ask_for_many_others_are_called_once_each(tmp_path: Path) -> None:
    """Two to the power of twenty calls if each were made for everyone who asks."""
    fixtures = "@pytest.fixture\ndef a0():\n    return 1\n" + "".join(
        f"@pytest.fixture\ndef a{number}(a{number - 1}, b{number - 1}):\n    return 1\n"
        f"@pytest.fixture\ndef b{number - 1}(a{number - 1}):\n    return 1\n"
        for number in range(1, 15)
    )
    [test] = read(
        tmp_path, f"import pytest\nfrom sums import add\n{fixtures}def test_a(a14):\n    assert add(a14) == 2\n"
    )
    assert isinstance(test, FunctionTest)
    assert test.code.count("fixture_a0()") == 1


def test_fixtures_in_a_circle_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sums.py").write_text(PROGRAM)
    (tmp_path / "test_sums.py").write_text(
        "import pytest\nfrom sums import add\n@pytest.fixture\ndef a(b):\n    return 1\n@pytest.fixture\ndef b(a):\n"
        "    return 1\ndef test_a(a):\n    assert add(a) == 2\ndef test_b():\n    assert add(1) == 2\n"
    )
    loaded = load(tmp_path / "sums.py")
    assert "is a fixture" in loaded.problems[0].message
    assert len(loaded.tasks) == 1


def test_the_program_may_be_imported_inside_a_test(tmp_path: Path) -> None:
    text = "def test_steps():\n    from sums import add as plus\n\n    xs = [plus(1, 2)]\n    xs.append(4)\n    assert xs == [3, 4]\n"
    [test] = read(tmp_path, text)
    assert isinstance(test, FunctionTest)
    assert "import" not in test.code
    assert "add(1, 2)" in test.code

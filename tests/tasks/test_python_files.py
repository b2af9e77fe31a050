"""Claims about Python files as tasks: their tests are found beside them or inside, and nothing is run."""

from pathlib import Path

from tasks import CallTest, FunctionTest, RepairTask, load

PROGRAM = '''
def clamp(x, low, high):
    """Keep x within bounds.

    >>> clamp(5, 0, 3)
    3
    >>> limits = (0, 9)
    >>> clamp(-1, *limits)
    0
    >>> clamp("a", 0, 1)
    Traceback (most recent call last):
    TypeError: not a number
    >>> print(clamp(1, 0, 2))
    1
    """
    return min(x, high)
'''
SUITE = """
import pytest
import clamping as c
from clamping import clamp as squeeze

def test_inside():
    low = 0
    assert squeeze(1, 0, 2) == 1
    assert c.clamp(1, low, 2) == 1

@pytest.mark.parametrize("x, expected", [(-1, 0), pytest.param(7, 2, id="above")])
def test_outside(x, expected):
    assert squeeze(x, 0, 2) == expected

def test_fixture(tmp_path):
    assert squeeze(1, 0, 2) == 1

class TestErrors:
    def test_text(self):
        with pytest.raises(TypeError):
            squeeze("a", 0, 1)
"""


def test_a_python_file_finds_its_pytest_file_and_its_doctests(tmp_path: Path) -> None:
    (tmp_path / "clamping.py").write_text(PROGRAM)
    (tmp_path / "test_clamping.py").write_text(SUITE)
    loaded = load(tmp_path)
    (task,) = loaded.tasks
    assert isinstance(task, RepairTask)
    calls = [(test.arguments, test.expected) for test in task.tests if isinstance(test, CallTest)]
    assert calls == [("1, 0, 2", "1"), ("-1, 0, 2", "0"), ("7, 0, 2", "2"), ("5, 0, 3", "3")]
    codes = [(test.code, test.expected) for test in task.tests if isinstance(test, FunctionTest)]
    assert codes[0] == ("low = 0\nreturn clamp(1, low, 2)", "1")
    assert "except TypeError" in codes[1][0]
    assert "pytest" not in codes[1][0]
    assert codes[2][0].endswith("return clamp(-1, *limits)")
    assert codes[3][1] == "'TypeError: not a number'"
    assert codes[4][0].endswith("return str(clamp(1, 0, 2))")
    (problem,) = loaded.problems
    assert (problem.field, problem.line) == ("test_fixture", 15)
    assert "tmp_path" in problem.message


def test_the_entry_is_the_function_that_the_tests_call_most_or_the_one_given(tmp_path: Path) -> None:
    program = tmp_path / "m.py"
    program.write_text("def one(): return two()\ndef two(): return 1\n")
    (tmp_path / "spec.py").write_text("from m import one, two\nassert two() == 2\nassert two() == 2\nassert one() == 2")
    assert load(program, tests=tmp_path / "spec.py").tasks[0].entry == "two"  # type: ignore[union-attr]
    assert load(program, tests=tmp_path / "spec.py", entry="one").tasks[0].entry == "one"  # type: ignore[union-attr]


def test_a_python_file_without_tests_says_where_to_write_them(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def one(): return 1\n")
    (problem,) = load(tmp_path / "m.py").problems
    assert "test_m.py" in problem.message


def test_loading_runs_no_program(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    (tmp_path / "m.py").write_text(trap + "def one(): return 1\n")
    (tmp_path / "test_m.py").write_text(trap + "from m import one\ndef test(): assert one() == 2\n")
    assert len(load(tmp_path).tasks) == 1
    assert not (tmp_path / "ran").exists()


ACCOUNT = '''
class Account:
    """An account.

    >>> a = Account(5)
    >>> a.deposit(3)
    8
    >>> a
    Account(8)
    """
    def __init__(self, balance):
        self.balance = balance

    def __repr__(self):
        return f"Account({self.balance})"

    def deposit(self, amount):
        self.balance += amount
        return self.balance
'''


def test_a_class_with_doctests_is_a_task_whose_entry_is_its_most_called_method(tmp_path: Path) -> None:
    (tmp_path / "account.py").write_text(ACCOUNT)
    (task,) = load(tmp_path / "account.py").tasks
    assert isinstance(task, RepairTask)
    assert task.entry == "Account.deposit"
    assert [(test.code, test.expected) for test in task.tests if isinstance(test, FunctionTest)] == [
        ("a = Account(5)\nreturn a.deposit(3)", "8"),
        ("a = Account(5)\na.deposit(3)\nreturn repr(a)", "'Account(8)'"),
    ]

"""`solve FILE.py` on files as users write them: classes, dataclasses, library containers, generators."""

from __future__ import annotations

from pathlib import Path

import pytest

from cwm_agent.solve import main

FAST = ("--oracle", "none", "--policy", "none", "--jobs", "1")

ACCOUNT = """
class Account:
    def __init__(self, balance=0):
        self.balance = balance
        self.log = []

    def __eq__(self, other):
        return self.balance == other.balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("too much")
        self.balance += amount
        self.log.append(-amount)
        return self.balance
"""
ACCOUNT_TESTS = """
import pytest
from account import Account

def test_withdraw():
    account = Account(5)
    assert account.withdraw(3) == 2
    assert account.balance == 2
    assert account.log == [-3]

def test_equality_of_the_class_itself():
    account = Account(5)
    account.withdraw(1)
    assert account == Account(4)

def test_too_much():
    with pytest.raises(ValueError):
        Account(1).withdraw(2)
"""
STACK = '''
class Stack:
    """A stack.

    >>> s = Stack()
    >>> s.push(1)
    >>> s.push(2)
    >>> s.pop()
    2
    >>> s.size()
    1
    >>> s
    Stack([1])
    """

    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop(0)

    def size(self):
        return len(self.items)

    def __repr__(self):
        return f"Stack({self.items})"
'''
RECTANGLE = '''
from dataclasses import dataclass

@dataclass(frozen=True)
class Rectangle:
    """A rectangle.

    >>> Rectangle(3, 5).area()
    15
    >>> Rectangle(2, 5).scaled(2) == Rectangle(4, 10)
    True
    >>> Rectangle(3, 1)
    Rectangle(width=3, height=1)
    """

    width: int
    height: int = 1

    def area(self):
        return self.width + self.height

    def scaled(self, factor):
        return Rectangle(self.width * factor, self.height * factor)
'''
LIBRARY = '''
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

@dataclass
class Entry:
    day: date
    words: Counter

def parse(line):
    """The entry of a line.

    >>> parse("2024-02-28 a b a").words["a"]
    2
    >>> parse("2024-02-28 a b a").day
    datetime.date(2024, 2, 28)
    """
    found = re.match(r"(\\d+)-(\\d+)-(\\d+) (.*)", line)
    year, month, day = (int(found.group(at)) for at in (1, 2, 3))
    return Entry(date(year, month, day), Counter(found.group(4).split()))

def next_day(entry):
    """The day after an entry.

    >>> next_day(parse("2024-02-28 a"))
    datetime.date(2024, 2, 29)
    >>> next_day(parse("2023-12-31 a"))
    datetime.date(2024, 1, 1)
    """
    return entry.day - timedelta(days=1)
'''
GENERATOR = '''
def running(numbers):
    """Running totals.

    >>> list(running([1, 2, 3]))
    [1, 3, 6]
    >>> list(running([]))
    []
    >>> next(running([7]))
    7
    """
    total = 0
    for number in numbers:
        total -= number
        yield total
'''
FILES = {
    "a class with a pytest file": ("account", ACCOUNT, ACCOUNT_TESTS, "self.balance -= amount"),
    "a class with doctests": ("stack", STACK, "", "self.items.pop("),
    "a dataclass method with a wrong operator": ("rectangle", RECTANGLE, "", "self.width * self.height"),
    "re, Counter, datetime and a dataclass": ("library", LIBRARY, "", "entry.day + timedelta(days=1)"),
    "a generator function": ("running", GENERATOR, "", "total += number"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_ones_own_is_repaired(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stem, source, tests, repaired = FILES[name]
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"{stem}.py"
    path.write_text(source)
    if tests:
        (tmp_path / f"test_{stem}.py").write_text(tests)
    assert main([path.name, *FAST, "--write"]) == 0
    assert repaired in path.read_text()

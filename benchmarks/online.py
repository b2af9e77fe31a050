"""Learning while it runs: the embedded model frozen beside adapted, over a stream of tasks of changing families.

    python -m benchmarks.online --out runs/online --forgetting CRUXEVAL.jsonl --json OUT.json

Stream: the shipped repair tasks of the `dev` half, one family (tier) after another, each solved twice: `frozen`
judges the steps of its real runs and changes nothing (`solve --learn judge`), `adapted` learns from them
(`solve --learn online`). Both go through the tasks in pieces, in turn, so a run that is stopped has pairs; the same
command goes on with it. Two processes can solve one arm each (`--only stream --arm frozen`, `--arm adapted`). The
budget of tokens binds before the clock, so a busy machine changes nothing.

Reported: for each family and for all tasks the share of judged steps that were right, from the real state and before
the task was learnt from, and the real executions (unsolved tasks at the whole budget), with 95 % bootstrap intervals of
the paired difference over tasks. Forgetting: step accuracy on a file in CRUXEval's format, before and after the stream.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.candidate_choice import add_candidate_options, candidates_of, difference, ended, spent
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.learning.online_learner import LOG_FILE, OnlineLearner
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.oracles.backends.embedded import EmbeddedOracle
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.verification.step_accuracy import count_steps
from cwm_agent.verification.task_files import file_cases, tasks_of
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from tasks import RepairTask, load

ARMS: dict[str, Any] = {"frozen": "judge", "adapted": "online"}
FORGETTING_FILE = "forgetting.json"
LONGEST_RUN = 400
"""Steps of a real run of the file on which forgetting is measured."""


def stream(count: int) -> list[RepairTask]:
    """That many tasks of the `dev` half, the families one after another, each with about the same number."""
    families: dict[str, list[RepairTask]] = {}
    for task in load("repair").tasks:
        if isinstance(task, RepairTask) and task.split == "dev":
            families.setdefault(task.tier or "other", []).append(task)
    found: dict[str, list[RepairTask]] = {name: [] for name in families}
    turns = [iter(each) for each in families.values()]
    drawn = islice((task for round_ in _rounds(turns) for task in round_), count)
    for task in drawn:
        found[task.tier or "other"].append(task)
    return [task for tasks in found.values() for task in tasks]


def _rounds(turns: Sequence[Iterator[RepairTask]]) -> Iterator[list[RepairTask]]:
    """One task of each family, as long as any family has one."""
    while round_ := [task for turn in turns if (task := next(turn, None)) is not None]:
        yield round_


def settings_of(arm: str, options: argparse.Namespace) -> Settings:
    budget = Budget(options.executions, tokens=options.tokens, seconds=options.seconds, comparisons=0)
    return Settings(budget=budget, seed=options.seed, learn=ARMS[arm], **candidates_of(options))


def run_stream(tasks: Sequence[RepairTask], options: argparse.Namespace) -> None:
    """Solve the tasks in both arms, a piece of each in turn."""
    for end in range(options.piece, len(tasks) + options.piece, options.piece):
        for arm in options.arm:
            run_tasks(RepairKind(), tasks[:end], settings_of(arm, options), options.out / arm)
        print(f"{min(end, len(tasks))} of {len(tasks)} tasks in {' and '.join(options.arm)}", flush=True)


def judged(folder: Path) -> dict[str, dict[str, Any]]:
    """What each task of an arm says in its log."""
    path = folder / LOG_FILE
    rows = [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return {row["task"]: row for row in rows}


def compared(tasks: Sequence[RepairTask], options: argparse.Namespace) -> dict[str, Any]:
    """Accuracy and executions of both arms over the tasks that both have ended."""
    logs = {arm: judged(options.out / arm) for arm in ARMS}
    episodes = {arm: ended(options.out / arm) for arm in ARMS}
    done = [task for task in tasks if all(task.id in logs[arm] and logs[arm][task.id]["judged"] for arm in ARMS)]
    found: dict[str, Any] = {"tasks": len(done)}
    for arm in ARMS:
        rows = [logs[arm][task.id] for task in done]
        right, asked = sum(row["judged"] - row["wrong"] for row in rows), sum(row["judged"] for row in rows)
        found[arm] = {
            "judged": asked,
            "accuracy": round(right / max(1, asked), 4),
            "solved": sum(episodes[arm][task.id].solved for task in done),
        }
    if done:
        found["accuracy difference"] = difference(
            [accuracy(logs["adapted"][task.id]) - accuracy(logs["frozen"][task.id]) for task in done]
        )
        costs = {arm: [spent(episodes[arm][task.id], options.executions) for task in done] for arm in ARMS}
        found["executions"] = {arm: round(sum(values) / len(values), 2) for arm, values in costs.items()}
        found["executions difference"] = difference(
            [one - other for one, other in zip(costs["adapted"], costs["frozen"], strict=True)]
        )
    return found


def accuracy(row: dict[str, Any]) -> float:
    return 1 - float(row["wrong"]) / max(1, int(row["judged"]))


def updates(folder: Path) -> dict[str, Any]:
    """How many updates were made and kept, and their mean cost."""
    found = [row["update"] for row in judged(folder).values() if row["update"] is not None]
    seconds = [update["seconds"] for update in found]
    return {
        "made": len(found),
        "kept": sum(update["kept"] for update in found),
        "examples": sum(update["new"] for update in found),
        "right before": sum(update["new_before"] for update in found),
        "right after": sum(update["new_after"] for update in found),
        "mean seconds": round(sum(seconds) / max(1, len(seconds)), 1),
    }


def forgetting(options: argparse.Namespace) -> dict[str, Any]:
    """Step accuracy on the file with the shipped weights and with the adapter of the stream; kept in pieces."""
    path = options.out / FORGETTING_FILE
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    chosen = f"{Path(options.forgetting).name}, {options.forgetting_rows} rows"
    with Sandbox() as sandbox:
        cases = file_cases(
            tasks_of(options.forgetting, "all"), Reality(sandbox), sandbox, LONGEST_RUN, limit=options.forgetting_rows
        )
    for arm in ARMS:
        oracle = EmbeddedOracle.load()
        learnt = OnlineLearner(oracle, options.out / arm).updates if arm == "adapted" else 0
        key = f"{arm} after {learnt} updates, {chosen}"
        if key not in known:
            counts = count_steps(cases, CachedOracle(oracle), "local")
            tasks = {task: [count.right, count.asked] for task, count in counts.by_task.items()}
            known[key] = {"arm": arm, "chosen": chosen, "share": round(counts.share(), 4), "tasks": tasks}
            path.write_text(json.dumps(known) + "\n", encoding="utf-8")
    frozen, adapted = (
        [row for row in known.values() if row["arm"] == arm and row["chosen"] == chosen][-1] for arm in ARMS
    )
    changes = [
        right / asked - frozen["tasks"][task][0] / frozen["tasks"][task][1]
        for task, (right, asked) in adapted["tasks"].items()
    ]
    shares = {arm: row["share"] for arm, row in zip(ARMS, (frozen, adapted), strict=True)}
    return {"file": chosen, **shares, "difference over programs": difference(changes)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve the stream in both arms and print the table, then forgetting where a file is given."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--tasks", type=int, default=60)
    add("--piece", type=int, default=3, help="tasks of one arm before the other arm's turn")
    add("--executions", type=int, default=20, help="real executions for each task")
    add("--tokens", type=int, default=20_000, help="tokens of the model for each task")
    add("--seconds", type=float, default=3_600, help="seconds of imagining for each task, as a backstop")
    add_candidate_options(parser)
    add("--seed", type=int, default=0)
    add("--forgetting", metavar="FILE", help="programs in CRUXEval's format")
    add("--forgetting-rows", type=int, default=220)
    add("--arm", nargs="+", choices=tuple(ARMS), default=list(ARMS), help="solve the stream in these arms alone")
    add("--only", choices=("stream", "table", "forgetting"), help="one part alone; the others come from --out")
    add("--out", type=Path, required=True)
    add("--json", type=Path)
    options = parser.parse_args(arguments)
    tasks = stream(options.tasks)
    if options.only in (None, "stream"):
        run_stream(tasks, options)
    if options.only == "stream":
        return
    families = list(dict.fromkeys(task.tier for task in tasks))
    found: dict[str, Any] = {"all": compared(tasks, options), "updates": updates(options.out / "adapted")}
    found |= {str(tier): compared([task for task in tasks if task.tier == tier], options) for tier in families}
    if options.forgetting and options.only in (None, "forgetting"):
        found["forgetting"] = forgetting(options)
    for name, row in found.items():
        print(name, json.dumps(row), flush=True)
    if options.json:
        given = {name: str(value) for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": found}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Runs for the tests of reports: a real one, and episodes that nobody would write in good faith."""

import json
from dataclasses import asdict
from pathlib import Path

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, RealRun
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from tasks import CallTest, RepairTask

DOUBLE = RepairTask(
    id="double-all",
    source="def double_all(values):\n    found = []\n    for value in values:\n        found.append(value + 2)\n    return found\n",
    entry="double_all",
    tests=(CallTest("[1]", "[2]"), CallTest("[3, 4]", "[6, 8]"), CallTest("[]", "[]")),
    hidden=(CallTest("[5]", "[10]"),),
)
LARGEST = RepairTask(
    id="largest",
    source="def largest(values):\n    best = values[0]\n    for value in values:\n        if value < best:\n            best = value\n    return best\n",
    entry="largest",
    tests=(CallTest("[1, 3, 2]", "3"), CallTest("[4]", "4"), CallTest("[2, 2, 9]", "9")),
)
INJECTIONS = (
    "<script>window.broken = 1</script>",
    "</script><img src=x onerror='window.broken = 1'>",
    "<!--<script>",
    "]]><svg onload=window.broken=1>",
    "\x1b[31mred\x1b]0;title\x07",
    "abc\u202etxt.exe\u2066\u2069\u200b",
    "javascript:window.broken=1",
    "{{title}} ${window.broken=1} &lt;b&gt;",
    "__proto__",
    "\ud800 lone",
)


def solved_run(out: Path) -> Path:
    """A folder with two tasks that were really solved, with an oracle that errs at a known rate."""
    settings = Settings(
        oracle="noisy:systematic:state=0.08,seed=1",
        ceiling=True,
        policy="none",
        patience=64,
        budget=Budget(executions=8, steps=8_000),
    )
    run_tasks(RepairKind(), [DOUBLE, LARGEST], settings, out)
    return out


def hostile_episode(name: str) -> Episode:
    """An episode with a text of others in every place that holds one."""
    frames = [
        {"event": "call", "stack": {"0": {"function": name, "line": 1, "locals": {name: "#1", "x": repr(name)}}}},
        {"event": "line", "stack": {"0": {"line": 2, "locals": {"x": name}}}},
    ]
    frames[0] |= {"heap": {"1": f"[{name!r}]"}, "globals": {name: name}}
    rollout = {"patch": [], "test": 0, "frames": frames, "marks": "wm", "logprobs": [-0.5], "end": "malformed"}
    details = {
        "kind": "repair",
        "program": {"source": f"def f(x):\n    return {name!r}  # {name}\n".replace("\n#", "#"), "entry": "f"},
        "tests": [{"arguments": repr(name), "expected": repr(name)}],
        "before": {"marks": [False], "values": [name]},
        "suspicion": [[1, 0.2], [2, 1.0]],
        "runs": [{"odds": 1.0, "prior": 0.1, "values": [name], "imagined": [[name, 0.5]]}],
        "tree": {
            "nodes": [[-1, "", 0.1, 3, 1.0, None, "", "f"], [0, name, 0.2, 1, 0.5, name, "rp", "p"]],
            "left_out": 1,
            "searches": 1,
        },
        "rollouts": [rollout | {"outcome": None, "reason": name}],
        "left_out": [name],
    }
    runs = (RealRun((name,), 0.5, (True,), (False,)),)
    return Episode(
        name,
        False,
        None,
        diff=name,
        settings={"oracle": name, "view": "local", "guide": "grounded"},
        trusted=(False,),
        runs=runs,
        spent={"executions": 2, "seconds": 1.0},
        difference={"arguments": name, "result": name, "other_result": name, "other_patch": [name]},
        confidence=0.5,
        imagination=(name,),
        details=details,
    )


def write_rows(folder: Path, *rows: Episode | str) -> Path:
    """A run folder with these episodes, and texts in place of rows."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [each if isinstance(each, str) else json.dumps(asdict(each)) + "\n" for each in rows]
    (folder / "episodes.jsonl").write_text("".join(lines), encoding="utf-8", errors="surrogatepass")
    return folder

"""A run of three tasks, struck at each of its writes; `test_interrupted_writes.py` starts it as a process of its own.

Prints a JSON object for each strike: what the folder held after it, and after the same run was started again.
"""

import errno
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from benchmarks.kills import Moment, kill_self, strike_at
from cwm_agent.agent import runner
from cwm_agent.agent.domain_registry import domain_named
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.settings import Settings
from cwm_agent.errors import USER_ERRORS


@dataclass(frozen=True)
class Named:
    id: str


TASKS = [Named("first"), Named("second"), Named("third")]


def solved(kind: object, tasks: Sequence[Named], *_: object) -> Iterator[Episode]:
    """Stands for the work of an agent."""
    return (Episode(task.id, True, None, ("edit",), spent={"executions": 2}) for task in tasks)


def run(out: Path) -> str:
    """Run the tasks; returns the message of an error that a command would print."""
    try:
        runner.run_tasks(domain_named("repair"), TASKS, Settings(oracle="none"), out)
    except USER_ERRORS as error:
        return str(error)
    return ""


def held(out: Path) -> dict[str, Any]:
    """What a folder holds; files that are there must be whole."""
    told: list[str] = []
    found = [episode.task for episode in read(out / "episodes.jsonl", told.append)]
    whole = {
        name: json.loads((out / name).read_text())
        for name in ("settings.json", "summary.json")
        if (out / name).exists()
    }
    temporary = [path.name for path in out.iterdir() if path.suffix == ".tmp"] if out.exists() else []
    return {"tasks": found, "files": sorted(whole), "skipped": told, "temporary": temporary}


def in_child(work: Callable[[], None]) -> bool:
    """Do some work in a fork of this process; returns whether it came to its end."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def struck(out: Path, number: int, moment: Moment, fault: str) -> None:
    """Run until the strike; a process that is not killed leaves the message and the number of its writes."""
    calls = strike_at(number, moment, kill_self if fault == "kill" else full)
    message = run(out)
    writes = len(calls)
    Path(f"{out}.message").write_text(json.dumps([message, writes]))


def row(folder: Path, number: int, moment: Moment, fault: str) -> dict[str, Any]:
    """One strike, and the same run again."""
    out = folder / f"{number}-{moment}"
    ended = in_child(lambda: struck(out, number, moment, fault))
    message, writes = json.loads(Path(f"{out}.message").read_text()) if ended else ("", number)
    after, error = held(out), run(out)
    found = {"struck": writes >= number, "killed": not ended, "message": message, "after": after}
    return {"number": number, "moment": moment, **found, "error": error, "end": held(out)}


def main(folder: Path, fault: str) -> None:
    runner._episodes = solved  # type: ignore[assignment]
    for number in range(1, 100):
        found = [row(folder, number, moment, fault) for moment in get_args(Moment)]
        if not found[0]["struck"]:
            return  # there are fewer writes
        print("\n".join(map(json.dumps, found)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

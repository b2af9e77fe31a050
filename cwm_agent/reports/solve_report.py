"""What `solve` says of its episodes: to a person about one file, as lines of a list, as JSON, and as exit status."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from cwm_agent.agent.episodes.episode import Episode
from tasks.errors import NotPlain, shortened
from tasks.output.terminal_text import print_line, print_styled, print_text, visible_line
from tasks.value import read_value

Status = Literal["solved", "nothing to repair", "open", "cannot load", "ambiguous"]
EXIT_STATUS: dict[Status, int] = {"solved": 0, "nothing to repair": 0, "open": 1, "cannot load": 2, "ambiguous": 3}
_COLOURS = {"+": 32, "-": 31, "@": 36}
"""ANSI colours of the lines of a diff, by their first character."""


LONGEST_LINE = 120
"""Characters shown of a reason why tests cannot be imagined."""


def status_of(episode: Episode) -> Status:
    """What became of a task, in one word."""
    if not episode.solved:
        return "open"
    if not episode.patch:
        return "nothing to repair"
    return "ambiguous" if episode.ambiguous else "solved"


def exit_status(episodes: Sequence[Episode | None]) -> int:
    """The exit status of a run: 1 where a task stayed open, else 3 where one is ambiguous, else 0."""
    found = {"open" if episode is None else status_of(episode) for episode in episodes}
    return EXIT_STATUS["open"] if "open" in found else EXIT_STATUS["ambiguous"] if "ambiguous" in found else 0


def json_text(episodes: Sequence[Episode], message: str = "") -> str:
    """The result of a run as one JSON object; `message` says why nothing could be loaded."""
    rows = [_row(episode) for episode in episodes]
    words = [row["status"] for row in rows]
    order: tuple[Status, ...] = ("open", "ambiguous", "solved", "nothing to repair")
    whole = next((word for word in order if word in words), "cannot load")
    return json.dumps({"status": whole, "tasks": rows} | ({"message": message} if message else {}), indent=2) + "\n"


def _row(episode: Episode) -> dict[str, Any]:
    return {
        "task": episode.task,
        "status": status_of(episode),
        "failing": list(episode.failing),
        "diff": episode.diff,
        "patch": list(episode.patch),
        "confidence": episode.confidence,
        "difference": episode.difference,
        "imagination": list(episode.imagination),
        "real_executions": episode.real_executions,
        "problem": episode.problem,
    }


def episode_lines(episode: Episode, done: int, total: int) -> list[str]:
    """What became of a task, as lines: one, and below it the patch, what else it could have been, or the problem."""
    spent = f"{episode.executions:>3} real runs, {episode.spent.get('imagined', 0):>4.0f} imagined"
    seconds = f"{episode.spent.get('seconds', 0):5.1f} s"
    shown = (*episode.patch, *_other_patch(episode), *filter(None, [episode.problem]))
    state = _state(episode)
    return [f"[{done}/{total}] {episode.task:<24} {state:<9} {spent}, {seconds}", *(f"    {line}" for line in shown)]


def _state(episode: Episode) -> str:
    """What became of a task, in one word, by its hidden tests where it has any."""
    if not episode.solved:
        return "failed" if episode.problem else "open"
    return "right" if episode.right else "ambiguous" if episode.ambiguous else "solved"


def _other_patch(episode: Episode) -> list[str]:
    """The other patch that passes the visible tests, where hidden ones do not say that this one is right."""
    if not episode.ambiguous or episode.right:
        return []
    others = ", ".join(map(str, episode.difference.get("other_patch", ())))
    return [f"ambiguous: the tests also pass with {others}"]


def print_file_report(path: Path, task: Any, episode: Episode, *, asks: bool = False) -> None:
    """Print what failed in a file, what was found, how sure it is, and what it cost."""
    if episode.problem:
        print_line(f"{path}: {episode.problem.strip().splitlines()[-1]}")
        return
    if episode.solved and not episode.patch:
        print_line(f"{path}: all {len(task.tests)} tests pass: there is nothing to repair.")
        return
    print_text("\n".join([f"{path}: tests of {task.entry} fail", *(f"    {line}" for line in episode.failing)]))
    if episode.solved:
        print_text(f"found a patch with which all {len(task.tests)} tests pass:")
        for line in episode.diff.splitlines()[2:]:  # without the names of the two versions
            print_diff_line(line)
        print_text(_sureness(episode))
        print_text("".join(f"{line}\n" for line in difference_lines(task.entry, episode, asks=asks)), end="")
    else:
        print_text("found no patch: every candidate that was run fails a test.")
    for line in episode.imagination:
        print_line(shortened(line, LONGEST_LINE))
    imagined = int(episode.spent.get("imagined", 0))
    print_text(f"real runs: {episode.real_executions}, imagined candidates: {imagined}")


def _sureness(episode: Episode) -> str:
    if episode.confidence is None:
        return "how sure: not known; that needs an oracle and a policy."
    return f"how sure: {100 * episode.confidence:.0f} % of such patches are right"


def difference_lines(entry: str, episode: Episode, *, asks: bool) -> list[str]:
    """What an ambiguous patch could also have been; nothing for one that is not ambiguous."""
    found = episode.difference
    if not found:
        return []
    others = ", ".join(map(str, found.get("other_patch", ())))
    return [
        "ambiguous: another patch passes all tests too, and the tests do not say which is meant.",
        f"    {differing_call(entry, found)} is {found['result']} with this patch and {found['other_result']} with the "
        f"other: {others}",
        *([] if asks else ["    `--ask` lets you say which result is right."]),
    ]


def differing_call(entry: str, difference: Mapping[str, Any]) -> str:
    """The input on which two patches differ, on one line: a call of the entry, or statements that end in a value."""
    if not difference.get("code"):
        return f"{entry}({difference['arguments']})"
    *before, last = str(difference["code"]).splitlines()
    return "; ".join([*(line.strip() for line in before), last.strip().removeprefix("return ")])


def print_diff_line(line: str) -> None:
    """Print a line of a diff, in colour on a terminal."""
    shown = visible_line(f"    {line}")
    colour = _COLOURS.get(line[:1])
    print_styled(f"\033[{colour}m{shown}\033[0m" if colour and sys.stdout.isatty() else shown)


def answer_to(entry: str, episode: Episode) -> str | None:
    """The result that a person says is right, as the text of a plain value; None where they give none."""
    found = episode.difference
    choices = {"1": str(found["result"]), "2": str(found["other_result"])}
    print_text(f"Which result of {differing_call(entry, found)} is right?")
    for number, result in choices.items():
        print_text(f"    {number}: {result}")
    while True:
        try:
            given = input("1, 2, another value, or nothing to keep the patch: ").strip()
        except EOFError:
            return None
        if not given:
            return None
        chosen = choices.get(given, given)
        try:
            read_value(chosen)
        except NotPlain as error:
            print_text(f"That is no plain value ({error}).")
            continue
        return chosen

"""Repair programs, or plan permutations: plan in imagination, run for real, learn from the difference.

    python -m cwm_agent.solve tasks/repair            the tasks that come with the project
    python -m cwm_agent.solve buggy.py --write        your own file, with its doctests or test_buggy.py beside it
    python -m cwm_agent.solve tasks/permutation       plans as programs: plan success by distance
    python -m cwm_agent.solve PATH --domain my_domain:kind     a domain of your own (docs/examples/new_domain.py)

The same in Python:

    from cwm_agent import Settings, load_tasks, solve_tasks
    episodes = solve_tasks(load_tasks("repair")[:1], Settings(oracle="none"), "runs/mine")

Exit status: 0 all tests pass (solved, or nothing to repair), 1 a task stayed open, 2 nothing could be loaded or an
option is wrong, 3 solved but ambiguous (another plausible patch passes too and returns something else), 130 stopped.
`--json` prints the same as a word: solved, nothing to repair, open, cannot load, ambiguous.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent.commands.command_line import CommandParser, user_errors
from cwm_agent.commands.solve_options import add_options, check_options, chosen_folder, chosen_settings, chosen_tasks
from cwm_agent.commands.usage import UsageError
from tasks.output.terminal_text import print_exact, print_line, print_text

if TYPE_CHECKING:
    from cwm_agent.agent.domain import DomainKind
    from cwm_agent.agent.episodes.episode import Episode
    from cwm_agent.agent.settings import Settings
    from cwm_agent.commands.progress import Progress
    from cwm_agent.reports.watched_run import WatchedRun

PROGRAM = "python -m cwm_agent.solve"
STOPPED = 130
"""Exit status after an interruption from the keyboard."""
_SHOWN = (
    "tasks",
    "solved",
    "right",
    "with_hidden",
    "executions_median",
    "executions_at_50",
    "executions_at_60",
    "tokens",
)


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    made = CommandParser(__doc__, PROGRAM, program)
    add_options(made.add_argument)
    return made


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    from cwm_agent.engine.heavy_imports import without_collections  # the package sets how threads wait

    try:
        check_options(options)
        with without_collections():  # most of the package is imported here
            kind, tasks = chosen_tasks(options)
        if options.list:
            for task in tasks:
                print_line(listed(task))
            return 0
        if options.diff or options.json:
            return run_for_program(options, kind, tasks)
        return run_with_questions(options) if options.ask else run(options, kind, tasks)
    except Exception as error:
        if not isinstance(error, user_errors()):
            raise
        print_line(f"solve: {error}", error=True)
        if options.json:
            from cwm_agent.reports.solve_report import json_text

            print_exact(json_text([], message=str(error)))
        return 2


def listed(task: Any) -> str:
    """A task as one line of the list."""
    from tasks import PermutationTask, RepairTask

    if isinstance(task, RepairTask):
        return f"{task.id:<24} {task.tier or '-':<16} {task.split or '-'}"
    if isinstance(task, PermutationTask):
        return f"{task.id:<32} {task.generators!s:<10} {task.style:<10} distance {task.distance}"
    return str(task.id)


def display(
    options: argparse.Namespace, settings: "Settings", out: Path, total: int
) -> AbstractContextManager["Progress | WatchedRun"]:
    """What shows a run while it lasts: its progress, or with --watch its workers and a page."""
    if options.watch:
        from cwm_agent.reports.watched_run import watched

        return watched(out, settings)
    from cwm_agent.commands.progress import progress

    return progress("solving", total)


def run(options: argparse.Namespace, kind: "DomainKind", tasks: Sequence[Any]) -> int:
    """Solve the tasks and print what became of them; returns the exit status."""
    from cwm_agent.agent.runner import run_tasks
    from cwm_agent.commands.progress import Progress
    from cwm_agent.jobs.worker_session import end_quickly
    from cwm_agent.oracles.service.placement_options import chosen_placement
    from cwm_agent.report import make_report
    from cwm_agent.reports.solve_report import episode_lines, exit_status

    end_quickly()
    if options.write or options.diff:
        check_writable(Path(options.path))
    settings = chosen_settings(options, kind)
    out = chosen_folder(options, settings)
    alone = bool(settings.learn) or any(name.startswith("hf:") for name in (settings.oracle, settings.proposer))
    jobs = options.jobs or (1 if alone and not options.cluster else 0)
    placement = chosen_placement(options, jobs, settings.oracle, settings.view).at_most(len(tasks))
    one_file = is_file(options, tasks)
    solved_now: list[str] = []
    try:
        with display(options, settings, out, len(tasks)) as shown:

            def shown_episode(episode: "Episode", done: int, total: int) -> None:
                solved_now.append(episode.task)
                if not one_file:
                    shown.tell(episode_lines(episode, done, total), done, total)
                if not isinstance(shown, Progress):
                    shown.add(episode)

            watcher, note = (None, shown.note) if isinstance(shown, Progress) else (shown.show, None)
            found = run_tasks(
                kind,
                tasks,
                settings,
                out,
                placement=placement,
                on_episode=shown_episode,
                on_progress=note or (lambda _: None),
                watcher=watcher,
                on_nodes=shown.nodes if placement.cluster else None,
            )
    except KeyboardInterrupt:
        print_text(f"\nStopped. Finished episodes are in {out}; the same command goes on from there.", error=True)
        return STOPPED
    if one_file:
        tell_file(options, tasks[0], out, known=not solved_now)
    else:
        figures = [f"{name:<20} {found[name]}" for name in _SHOWN]
        print_text("\n".join(["", *figures, *success(found), f"episodes in {out}"]))
    if options.write:
        write_back(options, out)
    if options.report or options.watch:
        print_line(f"report in {make_report(out)}")
    return exit_status(episodes_of([task.id for task in tasks], out))


def is_file(options: argparse.Namespace, tasks: Sequence[Any]) -> bool:
    """Whether the task is a file of the user's own."""
    return Path(options.path).suffix == ".py" and len(tasks) == 1


def run_for_program(options: argparse.Namespace, kind: "DomainKind", tasks: Sequence[Any]) -> int:
    """As `run`, with all that it prints on stderr, and the patch or the result as JSON alone on stdout."""
    from cwm_agent.agent.repair.patch_delivery import git_diff
    from cwm_agent.reports.solve_report import json_text

    with redirect_stdout(sys.stderr):
        status = run(options, kind, tasks)
        out = chosen_folder(options, chosen_settings(options, kind))
        episodes = [episode for episode in episodes_of([task.id for task in tasks], out) if episode is not None]
    if options.json:
        print_exact(json_text(episodes))
    elif episodes and episodes[0].solved:
        print_exact(git_diff(Path(options.path), tasks[0].source, episodes[0]))
    return status


def run_with_questions(options: argparse.Namespace) -> int:
    """Solve a file; while its patch is ambiguous, ask which result is right, add the answer to its tests and go on."""
    from cwm_agent.agent.repair.selection.answered_test import MOST_QUESTIONS, add_test
    from cwm_agent.reports.solve_report import answer_to

    if not sys.stdin.isatty():
        raise UsageError("--ask asks a person, and standard input is no terminal. Leave it out.")
    for _ in range(MOST_QUESTIONS):
        kind, tasks = chosen_tasks(options)
        status = run(options, kind, tasks)
        [episode] = episodes_of([tasks[0].id], chosen_folder(options, chosen_settings(options, kind)))
        if status == STOPPED or episode is None or not episode.ambiguous:
            return status
        answer = answer_to(tasks[0].entry, episode)
        if answer is None:
            return status
        where = add_test(Path(options.path), tasks[0], episode.difference, answer, tests=options.tests)
        print_text(f"added the answer as a test to {where}\n")
    return status


def episodes_of(ids: Iterable[str], out: Path) -> list["Episode | None"]:
    """The episode of each task, by its id, or None where the folder has none; the file is read once."""
    from cwm_agent.agent.episodes.episode import read

    found = {episode.task: episode for episode in read(out / "episodes.jsonl", lambda message: None)}
    return [found.get(each) for each in ids]


def tell_file(options: argparse.Namespace, task: Any, out: Path, *, known: bool) -> None:
    """Say what became of a file of the user's own; of an unchanged file that was solved before, the result again."""
    from cwm_agent.reports.solve_report import print_file_report

    [episode] = episodes_of([task.id], out)
    if episode is not None:
        print_file_report(Path(options.path), task, episode, asks=options.ask)
    if known:
        print_text(f"File and tests are unchanged since this run. Delete {out} to solve them anew.")
    print_text(f"episode in {out}")


def success(found: "dict[str, Any]") -> list[str]:
    """Plan success by distance as lines of a table; none where nothing was planned."""
    rows = [
        f"{row['distance']:>8} {row['tasks']:>6} {row['solved']:>7} {row['first_plan']:>11}"
        for row in found.get("plans", ())
    ]
    return ["", "distance  tasks  solved  first plan", *rows, ""] if rows else []


def check_writable(path: Path) -> None:
    """Refuse a file that a patch could not be written to, before anything is solved."""
    from tasks.output.atomic_file import check_target

    if path.suffix != ".py":
        raise UsageError(f"--write and --diff are for one .py file, and {path} is none.")
    check_target(path)


def write_back(options: argparse.Namespace, out: Path) -> None:
    """Write the patch of a solved file into it; a file that passes already, or stays open, is not touched."""
    from functools import partial

    from cwm_agent.agent.repair.patch_delivery import write_solved
    from tasks import load

    path = Path(options.path)
    [episode] = episodes_of([path.stem], out)
    if episode is not None and episode.solved and episode.patch:
        backup = write_solved(path, episode, out, partial(load, path, tests=options.tests, entry=options.entry))
        print_text(f"wrote {path}; its tests pass. The old text is in {backup}.")


if __name__ == "__main__":
    sys.exit(main())

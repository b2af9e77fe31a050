"""Repair programs, or plan permutations: plan in imagination, run for real, learn from the difference.

    python -m cwm_agent.solve tasks/repair            the tasks that come with the project
    python -m cwm_agent.solve buggy.py --write        your own file, with its doctests or test_buggy.py beside it
    python -m cwm_agent.solve tasks/permutation       plans as programs: plan success by distance
    python -m cwm_agent.solve PATH --domain my_domain:kind     a domain of your own (docs/examples/new_domain.py)

The same in Python:

    from cwm_agent import Settings, load_tasks, solve_tasks
    episodes = solve_tasks(load_tasks("repair")[:1], Settings(oracle="none"), "runs/mine")
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent import defaults
from cwm_agent.agent.budget import Budget
from cwm_agent.command_line import CommandParser, help_text
from cwm_agent.usage import UsageError
from tasks.errors import shortened
from tasks.output.terminal_text import print_exact, print_line, print_text

if TYPE_CHECKING:
    from cwm_agent.agent.domain import DomainKind
    from cwm_agent.agent.episode import Episode
    from cwm_agent.agent.settings import Settings
    from tasks import PermutationTask, RepairTask

PROGRAM = "python -m cwm_agent.solve"
LONGEST_LINE = 120
"""Characters shown of a reason why tests cannot be imagined."""

VIEWS = ("local", "program", "history")
_BUDGET = Budget()
"""The defaults."""
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
    made = CommandParser(
        program, description=help_text(__doc__, PROGRAM, program), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = made.add_argument
    add("path", help="a task folder or name, a JSONL, HumanEvalPack, a QuixBugs checkout, or a .py file")
    _add_models(add)
    _add_budget(add)
    _add_tasks(add)
    add("--seed", type=int, default=0, help="of search and noise (default: %(default)s)")
    add("--jobs", type=int, metavar="N", help="processes (default: one a core, at most one a task; with hf: one)")
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the episodes; a run in it is continued (default: runs/NAME-SEED)",
    )
    add("--resume", type=Path, metavar="DIR", help="continue the run in this folder")
    add("--write", action="store_true",
        help="write the patch of a solved .py file into it, if unchanged, and run its tests once more")  # fmt: skip
    add("--diff", action="store_true",
        help="print only the patch of a .py file, as `git apply` takes it; all else goes to stderr")  # fmt: skip
    add("--report", action="store_true", help="write report.html, a page to look at, beside the episodes")
    add("--watch", action="store_true", help="show each worker; serve the report on this machine meanwhile")
    add("--list", action="store_true", help="list the tasks and stop")
    return made


def _add_models(add: Callable[..., object]) -> None:
    """What plans, what imagines, what ranks and proposes."""
    add("--planner", default=defaults.PLANNER, metavar="NAME",
        help="mcts, beam, best-first, random, or module:callable of your own; baseline[:random|prior|climb] imagines "
        "nothing (default: %(default)s)")  # fmt: skip
    add("--oracle", default=defaults.ORACLE, metavar="NAME",
        help="embedded, none, exact, noisy:..; the last two run programs, which is charged; "
        "history view: hf:FOLDER, openai:MODEL too (default: %(default)s)")  # fmt: skip
    add("--domain", metavar="NAME", help="repair, permutation, or module:callable of your own (default: by the tasks)")
    add("--base-url", metavar="URL", help="address of the OpenAI-compatible server of openai:MODEL")
    add("--view", default=defaults.VIEW, choices=VIEWS, help="the text that the model sees (default: %(default)s)")
    add(
        "--guide",
        help=f"free, cfg or grounded (default: {defaults.GUIDE}; in the history view {defaults.HISTORY_GUIDE})",
    )
    add(
        "--edits", default="rules", choices=("rules", "model"), help="edits by rules, or a language model's beside them"
    )
    add(
        "--edits-model", metavar="MODEL", help="the model that proposes edits: hf:FOLDER, openai:MODEL, module:callable"
    )
    add("--policy", default=defaults.POLICY, metavar="NAME",
        help="the model that ranks edits before they are imagined: embedded, none, or a folder of weights "
        "(default: %(default)s)")  # fmt: skip
    add("--share", action="store_true", help="cache the oracle's answers across tasks (repair and permutation)")


def _add_budget(add: Callable[..., object]) -> None:
    """What one task may spend."""
    add("--budget-executions", type=int, metavar="N",
        help=f"real executions per task (default: {_BUDGET.executions}; of plans 10, or 5000 if charged)")  # fmt: skip
    add("--budget-tokens", type=int, default=_BUDGET.tokens, metavar="N",
        help="tokens of the oracle per task (default: %(default)s)")  # fmt: skip
    add("--budget-seconds", type=float, default=_BUDGET.seconds, metavar="S",
        help="seconds of imagining per task, as a backstop (default: %(default)s)")  # fmt: skip
    add("--budget-steps", type=int, default=_BUDGET.steps, metavar="N",
        help="imagined steps per task (default: %(default)s)")  # fmt: skip
    add("--budget-comparisons", type=int, default=_BUDGET.comparisons, metavar="N",
        help="real executions to compare patches that pass; 0 keeps the first one (default: %(default)s)")  # fmt: skip
    add("--longest-patch", type=int, default=_BUDGET.edits, metavar="N",
        help="most edits of a patch, or actions of a path in a domain of your own (default: %(default)s)")  # fmt: skip
    add("--ceiling", action="store_true", help="count what exact and noisy run, and do not charge it")


def _add_tasks(add: Callable[..., object]) -> None:
    """Which of the tasks at the path."""
    add("--visible", default="test", choices=("test", "example"), help="HumanEvalPack: the tests that are visible")
    add("--split", choices=("dev", "test"), help="only tasks of this split")
    add("--task", action="append", default=[], metavar="ID", help="only this task; repeat for more")
    add("--limit", type=int, metavar="N", help="only the first N tasks")
    add("--allow-package", action="append", default=[], metavar="NAME",
        help="let programs import this installed package, read-only; repeat for more")  # fmt: skip


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    from cwm_agent import errors

    try:
        kind, tasks = chosen_tasks(options)
        if options.list:
            for task in tasks:
                print_line(listed(task))
            return 0
        return run_for_diff(options, kind, tasks) if options.diff else run(options, kind, tasks)
    except errors.USER_ERRORS as error:
        print_line(f"solve: {error}", error=True)
        return 2


def listed(task: Any) -> str:
    """A task as one line of the list."""
    from tasks import PermutationTask, RepairTask

    if isinstance(task, RepairTask):
        return f"{task.id:<24} {task.tier or '-':<16} {task.split or '-'}"
    if isinstance(task, PermutationTask):
        return f"{task.id:<32} {task.generators!s:<10} {task.style:<10} distance {task.distance}"
    return str(task.id)


def chosen_tasks(options: argparse.Namespace) -> "tuple[DomainKind, Sequence[Any]]":
    """The kind of domain and the tasks that the options name."""
    from cwm_agent.agent.domain import checked_tasks
    from cwm_agent.agent.domain_registry import KINDS, domain_named, kind_of

    if options.domain and options.domain not in KINDS:
        kind = domain_named(options.domain)
        found: Sequence[Any] = checked_tasks(kind, options.path)
        if options.split or options.write or options.edits_model or options.policy != defaults.POLICY:
            raise UsageError("--split, --write, --edits and --policy belong to repairs; a domain of your own has none.")
        found = [task for task in found if not options.task or task.id in options.task][: options.limit]
    else:
        found = _known_tasks(options)
        kind = kind_of(found) if found else domain_named(options.domain or "repair")
    if not found:
        raise UsageError(f"No task to solve in {options.path}. `--list` shows what there is.")
    return kind, found


def _known_tasks(options: argparse.Namespace) -> "list[RepairTask] | list[PermutationTask]":
    """Tasks of one of the two kinds that come with the project: repairs, or plans where there are no repairs."""
    from tasks import PermutationTask, RepairTask, load

    loaded = load(options.path, visible=options.visible)
    for problem in loaded.problems:
        print_line(f"skipped: {problem}", error=True)
    found = [task for task in loaded.tasks if isinstance(task, RepairTask)]
    if options.split:
        found = [task for task in found if task.split == options.split]
    if options.task:
        found = [task for task in found if task.id in options.task]
    if found and options.domain != "permutation":
        return found[: options.limit]
    plans = [task for task in loaded.tasks if isinstance(task, PermutationTask)]
    plans = [task for task in plans if not options.task or task.id in options.task]
    if plans and (options.split or options.write):
        raise UsageError("--split and --write belong to repairs; a plan has neither a split nor a file.")
    return plans[: options.limit] if options.domain != "repair" else []


def chosen_folder(options: argparse.Namespace, settings: "Settings") -> Path:
    """Where episodes go: the folder to go on with, the one that was named, or one of this path and seed.

    Where the last holds a run with other settings, the next free number is added.
    """
    from cwm_agent.agent.runner import other_settings

    if options.resume is None:
        first = Path("runs") / f"{Path(options.path).stem or Path(options.path).resolve().name}-{options.seed}"
        numbered = (Path(f"{first}-{number}") for number in count(2))
        return options.out or next(each for each in chain([first], numbered) if not other_settings(each, settings))
    resumed: Path = options.resume
    if options.out is not None and options.out != resumed:
        raise UsageError(f"--resume {resumed} and --out {options.out} name two folders; give one of them.")
    if not (resumed / "settings.json").exists():
        raise UsageError(f"{resumed} holds no run to go on with. Give the folder of one, or --out for a new one.")
    return resumed


def chosen_models(options: argparse.Namespace) -> tuple[str, str]:
    """The oracle, and the language model that proposes edits or nothing; --base-url serves those that need one."""
    from cwm_agent.oracles.history_registry import with_url

    if (options.edits == "model") != bool(options.edits_model):
        raise UsageError("--edits model and --edits-model MODEL belong together; give both or neither.")
    served = [name for name in (options.oracle, options.edits_model or "") if name.startswith("openai:")]
    if options.base_url and not served:
        with_url(options.oracle, options.base_url)  # says what it is for
    here = {name: with_url(name, options.base_url) if "@" not in name else name for name in served}
    for name in here.values():
        from cwm_agent.oracles.backends.openai.server_history import OpenAiSettings

        OpenAiSettings.parse(name.removeprefix("openai:"))  # refused before anything of it is written down
    return here.get(options.oracle, options.oracle), here.get(options.edits_model, options.edits_model or "")


def chosen_settings(options: argparse.Namespace, kind: "DomainKind") -> "Settings":
    """The settings that the options name; what cannot be meant is refused."""
    from cwm_agent.agent.permutation.permutation_domain import plan_executions
    from cwm_agent.agent.planner_registry import planner_named
    from cwm_agent.agent.settings import Settings
    from cwm_agent.imagination.guides import parse_guide
    from cwm_agent.imagination.view_adapters import adapter_of

    planner_named(options.planner)
    oracle, proposer = chosen_models(options)
    guide = parse_guide(options.guide or adapter_of(options.view).default_guide)
    if guide.needs_reality:
        raise UsageError(f"The guide {guide.name} looks at the real run, which a solve must pay for; verify takes it.")
    plans = kind.name == "permutation"
    if plans and proposer:
        raise UsageError("--edits model belongs to repairs; a plan has no program to edit.")
    if plans and options.policy != defaults.POLICY:
        raise UsageError("--policy belongs to repairs; a plan has no edits to rank.")
    if options.policy not in ("embedded", "none") and not (Path(options.policy) / "model.json").is_file():
        raise UsageError(
            f"There is no policy {options.policy!r}. Give embedded, none, or a folder of weights (docs/policy.md)."
        )
    settings = Settings(
        options.planner,
        oracle,
        options.view,
        guide,
        seed=options.seed,
        ceiling=options.ceiling,
        share=options.share,
        policy=options.policy,
        proposer=proposer,
        packages=tuple(options.allow_package),
        domain=options.domain if options.domain and ":" in options.domain else "",
    )
    usual = plan_executions(settings) if plans else _BUDGET.executions
    budget = Budget(
        usual if options.budget_executions is None else options.budget_executions,
        tokens=options.budget_tokens,
        steps=options.budget_steps,
        seconds=options.budget_seconds,
        edits=options.longest_patch,
        comparisons=options.budget_comparisons,
    )
    return replace(settings, budget=budget)


def run(options: argparse.Namespace, kind: "DomainKind", tasks: Sequence[Any]) -> int:
    """Solve the tasks and print the summary; the exit status is 1 where some stayed open."""
    from cwm_agent.agent.runner import run_tasks
    from cwm_agent.progress import progress
    from cwm_agent.report import make_report
    from cwm_agent.watch import WatchedRun, watched

    if options.write or options.diff:
        check_writable(Path(options.path))
    settings = chosen_settings(options, kind)
    out = chosen_folder(options, settings)
    alone = any(name.startswith("hf:") for name in (settings.oracle, settings.proposer))  # one copy of the model
    jobs = options.jobs or (1 if alone else max(1, min(len(os.sched_getaffinity(0)), len(tasks))))
    solved_now: list[str] = []
    try:
        with watched(out, settings) if options.watch else progress("solving", len(tasks)) as shown:

            def shown_episode(episode: "Episode", done: int, total: int) -> None:
                solved_now.append(episode.task)
                shown.tell(episode_lines(episode, done, total), done, total)
                if isinstance(shown, WatchedRun):
                    shown.add(episode)

            watcher = shown.show if isinstance(shown, WatchedRun) else None
            found = run_tasks(kind, tasks, settings, out, jobs=jobs, on_episode=shown_episode, watcher=watcher)
    except KeyboardInterrupt:
        print_text(f"\nStopped. Finished episodes are in {out}; the same command goes on from there.", error=True)
        return 130
    if Path(options.path).suffix == ".py" and len(tasks) == 1:
        tell_file(tasks[0].id, out, known=not solved_now)
    else:
        figures = [f"{name:<20} {found[name]}" for name in _SHOWN]
        print_text("\n".join(["", *figures, *success(found), f"episodes in {out}"]))
    if options.write:
        write_back(Path(options.path), out)
    if options.report or options.watch:
        print_line(f"report in {make_report(out)}")
    return 0 if found["solved"] == found["tasks"] else 1


def run_for_diff(options: argparse.Namespace, kind: "DomainKind", tasks: Sequence[Any]) -> int:
    """As `run`, with all that it prints on stderr, and the patch alone on stdout."""
    from contextlib import redirect_stdout

    from cwm_agent.agent.repair.patch_delivery import git_diff

    with redirect_stdout(sys.stderr):
        status = run(options, kind, tasks)
        episode = episode_of(tasks[0].id, chosen_folder(options, chosen_settings(options, kind)))
    if episode is not None and episode.solved:
        print_exact(git_diff(Path(options.path), tasks[0].source, episode))
    return status


def episode_of(task: str, out: Path) -> "Episode | None":
    """The episode of a task in a folder; None where there is none."""
    from cwm_agent.agent.episode import read

    found = read(out / "episodes.jsonl", lambda message: None)
    return next((episode for episode in found if episode.task == task), None)


def tell_file(task: str, out: Path, *, known: bool) -> None:
    """Say what became of a file of the user's own; of an unchanged file that was solved before, the result again."""
    episode = episode_of(task, out)
    if known and episode is not None:
        print_text("\n".join(episode_lines(episode, 1, 1)))
        print_text(f"File and tests are unchanged since this run. Delete {out} to solve them anew.")
    if episode is not None and episode.solved and not episode.patch:
        print_text("All tests pass: there is nothing to repair.")
    print_text(f"episode in {out}")


def success(found: "dict[str, Any]") -> list[str]:
    """Plan success by distance as lines of a table; none where nothing was planned."""
    rows = [
        f"{row['distance']:>8} {row['tasks']:>6} {row['solved']:>7} {row['first_plan']:>11}"
        for row in found.get("plans", ())
    ]
    return ["", "distance  tasks  solved  first plan", *rows, ""] if rows else []


def episode_lines(episode: "Episode", done: int, total: int) -> list[str]:
    """What became of a task, as lines: one, and below it the patch or the problem."""
    state = "right" if episode.right else "solved" if episode.solved else "failed" if episode.problem else "open"
    spent = f"{episode.executions:>3} real runs, {episode.spent.get('imagined', 0):>4.0f} imagined"
    seconds = f"{episode.spent.get('seconds', 0):5.1f} s"
    alone = total == 1  # a file of one's own: the change as it will stand
    shown = (*(episode.diff.splitlines() if alone else episode.patch), *filter(None, [episode.problem]))
    shown += tuple(shortened(line, LONGEST_LINE) for line in episode.imagination) if alone else ()
    return [f"[{done}/{total}] {episode.task:<24} {state:<7} {spent}, {seconds}", *(f"    {line}" for line in shown)]


def check_writable(path: Path) -> None:
    """Refuse a file that a patch could not be written to, before anything is solved."""
    from tasks.output.atomic_file import check_target

    if path.suffix != ".py":
        raise UsageError(f"--write and --diff are for one .py file, and {path} is none.")
    check_target(path)


def write_back(path: Path, out: Path) -> None:
    """Write the patch of a solved file into it; a file that passes already, or stays open, is not touched."""
    from cwm_agent.agent.repair.patch_delivery import write_solved

    episode = episode_of(path.stem, out)
    if episode is not None and episode.solved and episode.patch:
        backup = write_solved(path, episode, out)
        print_text(f"wrote {path}; its tests pass. The old text is in {backup}.")


if __name__ == "__main__":
    sys.exit(main())

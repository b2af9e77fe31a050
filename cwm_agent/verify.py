"""Compare imagined with real execution, step by step.

    python -m cwm_agent.verify repair --limit 20                       the tasks that come with the project
    python -m cwm_agent.verify buggy.py --oracle exact --guide free    your own file

The same in Python:

    from cwm_agent.verification.view_verification import VerifySettings, verify_tasks
    figures = verify_tasks("repair", VerifySettings(oracle="embedded", view="local", guides=["grounded"], limit=1))
    print(figures[0]["trace_exact"])
"""

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent import defaults
from cwm_agent.commands.command_line import CommandParser
from cwm_agent.oracles.service.placement_options import add_cluster_options
from tasks.output.terminal_text import print_line, print_text

if TYPE_CHECKING:
    from cwm_agent.imagination.view_adapters import ViewAdapter
    from cwm_agent.reports.verification_page import VerificationRecord
    from cwm_agent.verification.mutant_verification import MutantProgress

PROGRAM = "python -m cwm_agent.verify"


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    made = CommandParser(__doc__, PROGRAM, program, examples_last=True, raw_options=True)
    made.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="task files: CRUXEval rows, our JSONL, HumanEvalPack, a .py file",
    )
    made.add_argument(
        "--oracle",
        default=defaults.ORACLE,
        help="embedded, exact, none, noisy:iid:state=0.02, module:callable; history view: hf:FOLDER, openai:MODEL",
    )
    made.add_argument("--base-url", metavar="URL", help="of the OpenAI-compatible server that serves openai:MODEL")
    made.add_argument(
        "--view", default=defaults.VIEW, choices=("local", "program", "history"), help="what the model is shown"
    )
    made.add_argument(
        "--guide",
        action="append",
        help="one or more of free,cfg,grounded,forced,anchored:K,unsure:P, with commas or the option again\n"
        "(default grounded; in the history view free,forced)",
    )
    made.add_argument(
        "--level",
        choices=("plain", "operations", "characters"),
        default=defaults.LEVEL,
        help="history view: the program as written (default), or decomposed, as grounded needs it",
    )
    _add_selection(made)
    made.add_argument("--wrong", type=int, default=0, metavar="N", help="show N wrong steps")
    made.add_argument("--json", type=Path, metavar="OUT", help="write the figures to a file")
    made.add_argument(
        "--report", type=Path, metavar="FILE.html", help="write a report: curves, and each run to step through"
    )
    return made


def _add_selection(made: argparse.ArgumentParser) -> None:
    """The options that say which programs are verified, and how far."""
    made.add_argument(
        "--mutants",
        nargs="?",
        type=_mutants,
        const="all",
        metavar="N",
        help="verify N random one-edit mutants of the repair tasks' programs, or all of them without N;\n"
        "Ctrl-C ends the drawing: the figures then are of those drawn so far, a fair sample",
    )
    made.add_argument(
        "--runs",
        type=int,
        metavar="N",
        help="of programs that draw random numbers: compare N imagined runs with N real ones, as distributions",
    )
    made.add_argument("--seed", type=int, default=0, help="of the drawing of mutants (default 0)")
    made.add_argument("--jobs", type=_positive, metavar="N", help="processes that verify (default 1)")
    add_cluster_options(made.add_argument)
    made.add_argument("--seconds", type=float, metavar="S", help="with --mutants: draw no more after S seconds")
    made.add_argument("--limit", type=int, help="only the first N programs of each file")
    made.add_argument(
        "--steps",
        type=int,
        help=f"of the longest rollout (default {defaults.ROLLOUT_STEPS}, of mutants {defaults.MUTANT_STEPS})",
    )
    made.add_argument("--rows", choices=("all", "even", "odd"), default="all", help="rows by the number in their id")
    made.add_argument(
        "--programs",
        choices=("buggy", "reference"),
        default="buggy",
        help="of repair tasks: the program to be repaired (default), or the repaired one",
    )


def _mutants(text: str) -> int | str:
    """How many mutants to draw: a number of at least 1, or `all`."""
    if text == "all" or (text.isdecimal() and int(text) > 0):
        return text if text == "all" else int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of mutants. Give 1 or more, or nothing for all.")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes. Give a number of at least 1.")
    return int(text)


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    command = parser(program)
    options = command.parse_args(arguments)
    from cwm_agent import errors  # with all below it imports gymnasium, which --help does not need
    from cwm_agent.imagination.view_adapters import adapter_of
    from cwm_agent.oracles.history_registry import with_url
    from cwm_agent.oracles.service.placement_options import chosen_placement
    from cwm_agent.verification.mutant_verification import verify_mutants
    from cwm_agent.verification.statistics.share_intervals import with_intervals
    from cwm_agent.verification.verification_table import table
    from cwm_agent.verification.view_verification import VerifySettings, verify_tasks
    from tasks.output.atomic_file import check_target

    adapter = adapter_of(options.view)
    _check(command, options, adapter)
    try:
        for target in filter(None, (options.json, options.report)):
            check_target(target)
        oracle = with_url(options.oracle, options.base_url)
    except errors.USER_ERRORS as error:
        command.error(str(error))
    if options.runs is not None:
        return _distributions(options, oracle)
    shared: dict[str, Any] = {
        "oracle": oracle,
        "view": options.view,
        "guides": _guides(options.guide) or adapter.default_guides,
        **({} if options.steps is None else {"steps": options.steps}),
        "rows": options.rows,
        "show_wrong": options.wrong,
    }
    try:
        shared["placement"] = chosen_placement(
            options, options.jobs or (0 if options.cluster else 1), oracle, options.view
        )
    except errors.USER_ERRORS as error:
        command.error(str(error))
    runs = []
    record = _record(options, shared)
    try:
        for path in options.paths:
            if options.mutants is None:
                chosen = {"limit": options.limit, "programs": options.programs, "level": options.level}
                runs += verify_tasks(path, VerifySettings(**shared, **chosen))
                continue
            count = None if options.mutants == "all" else options.mutants
            runs += verify_mutants(
                path, count=count, seed=options.seed, stop=_stopper(options.seconds), told=_tell, **shared
            )
    except errors.USER_ERRORS as error:
        print_line(f"verify: {error}", error=True)
        return 2
    runs = [with_intervals(run) for run in runs]
    print_text(table(runs))
    return _write(options, record, runs)


def _guides(given: Sequence[str] | None) -> list[str]:
    """The guides of all --guide options, each once, in order."""
    return list(dict.fromkeys(guide.strip() for text in given or () for guide in text.split(",")))


def _distributions(options: argparse.Namespace, oracle: str) -> int:
    """Compare the runs of programs that draw, print the figures, and write them."""
    from cwm_agent import errors
    from cwm_agent.verification.chance.chance_files import distribution_lines, verify_distributions
    from cwm_agent.verification.chance.chance_runs import ChanceSettings
    from tasks.output.atomic_file import write_file

    settings = ChanceSettings(options.runs, **({} if options.steps is None else {"steps": options.steps}))
    chosen = {"rows": options.rows, "programs": options.programs, "limit": options.limit}
    try:
        runs = [verify_distributions(path, settings, oracle=oracle, **chosen) for path in options.paths]
        if options.json:
            write_file(options.json, json.dumps({"runs": runs}, indent=2) + "\n")
    except errors.USER_ERRORS as error:
        print_line(f"verify: {error}", error=True)
        return 2
    for figures in runs:
        print_text("\n".join([figures["file"], *distribution_lines(figures)]))
    return 0


def _record(options: argparse.Namespace, shared: dict[str, Any]) -> "VerificationRecord | None":
    """What keeps the rollouts for a report; None where none is wanted."""
    if not options.report:
        return None
    from cwm_agent.reports.verification_page import VerificationRecord

    record = VerificationRecord()
    shared["observer"] = record.take
    return record


def _write(options: argparse.Namespace, record: "VerificationRecord | None", runs: list[dict[str, Any]]) -> int:
    """Write the figures and the report where they are wanted."""
    from cwm_agent.report import write
    from tasks.output.atomic_file import WriteError, write_file

    try:
        if options.json:
            write_file(options.json, json.dumps({"runs": runs}, indent=2) + "\n")
        if record is not None:
            made = write(options.report, record.report(", ".join(map(str, options.paths)), runs))
            print_line(f"wrote {made}")
    except WriteError as error:
        print_line(f"verify: {error}", error=True)
        return 2
    return 0


def _check(
    command: argparse.ArgumentParser, options: argparse.Namespace, adapter: "ViewAdapter[Any, Any, Any, Any]"
) -> None:
    """End the command where options do not belong together, or not to the view."""
    mutants = options.mutants is not None
    if options.runs is not None:
        _check_runs(command, options)
    if not adapter.asks_single_steps and (mutants or options.wrong):
        command.error(f"--mutants and --wrong ask about single steps, which the {options.view} view does not show.")
    if not adapter.asks_single_steps and options.programs != "buggy":
        command.error(f"--programs does not belong to the {options.view} view; leave it out.")
    if not adapter.takes_level and options.level != "plain":
        command.error(f"--level belongs to the history view; the {options.view} view always decomposes.")
    if not mutants and options.seconds is not None:
        command.error("--seconds ends the drawing of mutants; give --mutants too.")
    if mutants and options.report is not None:
        command.error("--report shows whole rollouts; leave it out with --mutants, which judges single steps.")
    if mutants and options.limit is not None:
        command.error("--limit counts the calls of a file; with --mutants give their number there: --mutants N.")
    if mutants and options.programs != "buggy":
        command.error("--programs belongs to whole rollouts; leave it out with --mutants.")


def _check_runs(command: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End the command where --runs is too small, or stands beside options that it has no use for."""
    if options.runs < 2:
        command.error(f"--runs {options.runs} is no sample; give 2 or more.")
    if options.view != "local" or options.mutants is not None or options.report or options.guide or options.wrong:
        command.error("--runs has no --view, --guide, --mutants, --wrong or --report of its own; leave them out.")


def _stopper(seconds: float | None) -> Callable[[], bool]:
    """Says whether to stop: after the first Ctrl-C, or when the time is over. The second Ctrl-C ends at once."""
    ends = None if seconds is None else time.monotonic() + seconds
    interrupted: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        interrupted.append(number)

    signal.signal(signal.SIGINT, interrupt)
    return lambda: bool(interrupted) or (ends is not None and time.monotonic() > ends)


def _tell(progress: "MutantProgress") -> None:
    print_line(
        f"{progress.done} of {progress.drawn} mutants, one step exact {progress.step_exact:.4f}, "
        f"{progress.remembered:.0%} remembered, {progress.seconds:.0f} s",
        error=True,
    )


if __name__ == "__main__":
    sys.exit(main())

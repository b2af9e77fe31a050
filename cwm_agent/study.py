"""Run a study on any oracle: `python -m cwm_agent.study NAME|all [--quick] [--oracle O] --out DIR`.

    tracking         up to which length imagination follows programs, by view and guide
    budget           tokens of the views as execution grows
    dose             depth and success of plans with oracles of known error rates
    strings          nested string operations in one step, one by one, and character by character
    decomposition    programs as written against one operation per line
    planning-depth   up to which distance of the goal imagined plans work
    repair-cost      real executions of a repair, by error rate
    game-models      depth to which planning in a faulty model of a game helps
    looks            outcomes restored by real frames where the model is unsure, beside fixed intervals

    python -m cwm_agent.study all --quick --out runs/quick                    a small version of all studies
    python -m cwm_agent.study all --jobs 4 --out runs/study                   in full; repeat the command to continue
    python -m cwm_agent.study all --oracle hf:FOLDER --out runs/mine          on your own model
    python -m cwm_agent.study all --jobs 1 --seconds 0 --out runs/study       figures and tables only

Each measured cell is written to DIR/NAME.jsonl at once, and the same command continues an interrupted study; figures
(SVG) and tables go to DIR too. N processes measure cells, expensive ones first; the numbers do not depend on N. A
cell that fails is reported, the others continue, and the same command tries it again. Models that continue histories
(hf:FOLDER, openai:MODEL) are measured in the history view only.

The same in Python:

    from pathlib import Path
    from cwm_agent.jobs.placement import Placement
    from cwm_agent.studies.study_order import Order
    from cwm_agent.studies.study_registry import studies_named
    from cwm_agent.studies.study_runner import run_studies
    if __name__ == "__main__":  # worker processes import this file
        order = Order(Path("runs/study"), "exact", seed=0, quick=True, placement=Placement(2))
        run_studies(studies_named("strings"), order)
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cwm_agent.commands.command_line import CommandParser, defaults_of
from cwm_agent.jobs.node_display import NodeDisplay
from cwm_agent.oracles.service.placement_options import add_cluster_options
from cwm_agent.studies.study_order import Order
from tasks.output.terminal_text import print_line, print_text

if TYPE_CHECKING:
    from cwm_agent.studies.study_runner import StudyProgress

PROGRAM = "python -m cwm_agent.study"

VIEWS = ("history", "program", "local")


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    usual = defaults_of(Order)
    made = CommandParser(__doc__, PROGRAM, program, examples_last=True)
    made.add_argument("name", help="a study, or all")
    made.add_argument("--quick", action="store_true", help="few cells and few programs: all within 10 minutes")
    made.add_argument(
        "--oracle",
        default=usual["oracle"],
        help="embedded, exact, none, noisy:..., module:callable, hf:..., openai:...",
    )
    made.add_argument("--base-url", metavar="URL", help="address of the OpenAI-compatible server of openai:MODEL")
    made.add_argument("--views", type=_views, metavar="V,V", help="only cells that ask in these views (default: all)")
    made.add_argument(
        "--seed", type=int, default=usual["seed"], help="seed of the random programs (default: %(default)s)"
    )
    made.add_argument(
        "--seconds", type=float, metavar="S", help="start no cell after S seconds; the same command continues"
    )
    made.add_argument(
        "--jobs",
        type=_positive,
        metavar="N",
        help="processes that measure cells, each with its own model (default: one per core; 1 for hf: and for embedded "
        "on an accelerator, which CUDA_VISIBLE_DEVICES= hides)",
    )
    add_cluster_options(made.add_argument)
    made.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder for the results; an existing one is continued"
    )
    made.add_argument("--report", action="store_true", help="write report.html: all tables and figures on one page")
    return made


def _views(text: str) -> list[str]:
    views = text.split(",")
    wrong = [view for view in views if view not in VIEWS]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is no view. Choose among: {', '.join(VIEWS)}.")
    return views


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes. Give a number of at least 1.")
    return int(text)


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    from cwm_agent import errors
    from cwm_agent.oracles.history_registry import with_url
    from cwm_agent.oracles.registry import views_of
    from cwm_agent.oracles.service.placement_options import chosen_placement
    from cwm_agent.studies.study_registry import studies_named
    from cwm_agent.studies.study_runner import run_studies

    try:
        oracle = with_url(options.oracle, options.base_url)
        views = options.views or (views_of(oracle) if len(views_of(oracle)) < len(VIEWS) else None)
        studies = studies_named(options.name)
        order = Order(
            out=options.out,
            oracle=oracle,
            seed=options.seed,
            quick=options.quick,
            views=None if views is None else tuple(views),
            seconds=options.seconds,
            placement=chosen_placement(options, options.jobs or _jobs(oracle, options.cluster), oracle),
        )
        with _terminated_as_interrupted():
            nodes = NodeDisplay()
            found = run_studies(studies, order, _report, partial(nodes.show, bar=None) if options.cluster else None)
    except errors.USER_ERRORS as error:
        print_line(f"study: {error}", error=True)
        return 2
    except KeyboardInterrupt:
        print_line(f"study: stopped. Measured cells are in {options.out}; the same command continues.", error=True)
        return 130
    if options.report:
        from cwm_agent.report import make_report

        print_line(f"study: report in {make_report(options.out)}", error=True)
    for study in studies:
        if study.name in found.outputs:
            print_text(f"{study.question}\n\n{found.outputs[study.name].table}")
    if found.problem:
        again = f"The cells are in {options.out}, and the same command writes tables and figures of them."
        print_line(f"study: {found.problem} {again}", error=True)
    if found.failed:
        print_line(f"study: {found.failed} cells failed; the same command tries them again.", error=True)
    return 1 if found.failed or found.problem else 0


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Turn SIGTERM into KeyboardInterrupt, so that the worker processes are ended too."""

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would interrupt the cleanup
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _report(progress: StudyProgress) -> None:
    where = f"{progress.study} {progress.done} of {progress.total}"
    end = f"{progress.seconds:.1f} s" if progress.failed is None else f"failed: {progress.failed}"
    print_line(f"{where}  {progress.cell}  {end}", error=True)


def _jobs(oracle: str, cluster: str | None) -> int:
    """One process per core; one process where the model may fill the machine or its accelerator."""
    if cluster:
        return 0
    alone = oracle.startswith("hf:") or (oracle.partition(":")[0] == "embedded" and _has_accelerator())
    return 1 if alone else os.cpu_count() or 1


def _has_accelerator() -> bool:
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    sys.exit(main())

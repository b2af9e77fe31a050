"""Carry out a study on any oracle: `python -m cwm_agent.study NAME|all [--quick] [--oracle O] --out DIR`.

    tracking         how long a program is that imagination still follows, by view and guide
    budget           what the views cost in tokens as execution grows
    dose             how deep an oracle of known error rates reaches, and what planning with it is worth
    strings          nested string operations in one step, one by one, and character by character
    decomposition    programs as written against one operation a line, by failure
    planning-depth   how far the goal may be for a plan made in imagination to work
    repair-cost      how many real executions a repair takes, by error rate

    python -m cwm_agent.study all --quick --out runs/quick                    the whole study in small
    python -m cwm_agent.study all --jobs 4 --out runs/study                   in full, in as many goes as you like
    python -m cwm_agent.study all --oracle hf:FOLDER --out runs/mine          on a model of one's own
    python -m cwm_agent.study all --jobs 1 --seconds 0 --out runs/study       only the figures and tables, anew

Raw results go to DIR/NAME.jsonl as each cell ends, and a study begun goes on where it was; figures (SVG) and tables
stand beside them. N processes measure cells side by side, dear ones first; the numbers are the same whatever N is. A
cell that fails is named, the others go on, and the same command tries it again. Models that continue histories
(hf:FOLDER, openai:MODEL) are asked in the history view alone.

The same in Python:

    from cwm_agent.studies.study_registry import studies_named
    from cwm_agent.studies.study_runner import Order, carry_out
    if __name__ == "__main__":  # other processes load this file anew
        carry_out(studies_named("tracking"), Order(Path("runs/study"), "embedded", seed=0, quick=True, jobs=2))
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cwm_agent.studies.study_runner import StudyProgress

VIEWS = ("history", "program", "local")


def parser() -> argparse.ArgumentParser:
    description, _, rest = (__doc__ or "").partition("\n\n")
    made = argparse.ArgumentParser(
        "python -m cwm_agent.study",
        description=description,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("name", help="a study, or all")
    made.add_argument("--quick", action="store_true", help="few cells and few programs: all within 10 minutes")
    made.add_argument(
        "--oracle", default="embedded", help="embedded, exact, none, noisy:..., module:callable, hf:..., openai:..."
    )
    made.add_argument("--base-url", metavar="URL", help="of the OpenAI-compatible server that serves openai:MODEL")
    made.add_argument("--views", type=_views, metavar="V,V", help="only cells that ask in these views (default: all)")
    made.add_argument("--seed", type=int, default=0, help="of the programs drawn (default: 0)")
    made.add_argument("--seconds", type=float, metavar="S", help="begin no cell after S seconds; go on another time")
    made.add_argument(
        "--jobs",
        type=_positive,
        metavar="N",
        help="processes that measure cells, each with a model of its own (default: one a core; one alone for hf: and "
        "where embedded finds an accelerator, which CUDA_VISIBLE_DEVICES= hides)",
    )
    made.add_argument("--out", type=Path, required=True, metavar="DIR", help="where results go, and go on from")
    return made


def _views(text: str) -> list[str]:
    views = text.split(",")
    wrong = [view for view in views if view not in VIEWS]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is no view. Choose among: {', '.join(VIEWS)}.")
    return views


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes of at least 1.")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    from cwm_agent import errors
    from cwm_agent.oracles.history_registry import with_url
    from cwm_agent.oracles.registry import views_of
    from cwm_agent.studies.study_registry import studies_named
    from cwm_agent.studies.study_runner import Order, carry_out

    try:
        oracle = with_url(options.oracle, options.base_url)
        views = options.views or (views_of(oracle) if len(views_of(oracle)) < len(VIEWS) else None)
        studies = studies_named(options.name)
        order = Order(
            options.out,
            oracle,
            options.seed,
            options.quick,
            None if views is None else tuple(views),
            options.seconds,
            options.jobs or _jobs(oracle),
        )
        with _terminated_as_interrupted():
            found = carry_out(studies, order, _tell)
    except errors.USER_ERRORS as error:
        print(f"study: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"study: stopped; the same command goes on from {options.out}.", file=sys.stderr)
        return 130
    for study in studies:
        print(f"{study.question}\n\n{found.sheets[study.name].table}", flush=True)
    if found.failed:
        print(f"study: {found.failed} cells failed; the same command tries them again.", file=sys.stderr)
    return 1 if found.failed else 0


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """A plain kill stops a study as Ctrl-C does: by an exception, so that the processes that measure are ended too."""

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would cut the ending short
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _tell(progress: StudyProgress) -> None:
    where = f"{progress.study} {progress.done} of {progress.total}"
    end = f"{progress.seconds:.1f} s" if progress.failed is None else f"failed: {progress.failed}"
    print(f"{where}  {progress.cell}  {end}", file=sys.stderr, flush=True)


def _jobs(oracle: str) -> int:
    """One process a core; one in all where the model may fill the machine by itself, or the accelerator it is on."""
    alone = oracle.startswith("hf:") or (oracle.partition(":")[0] == "embedded" and _has_accelerator())
    return 1 if alone else os.cpu_count() or 1


def _has_accelerator() -> bool:
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    sys.exit(main())

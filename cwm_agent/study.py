"""Carry out a study on any oracle: `python -m cwm_agent.study NAME|all [--quick] [--oracle O] --out DIR`.

    tracking         how long a program is that imagination still follows, by view and guide
    budget           what the views cost in tokens as execution grows
    dose             how deep an oracle of known error rates reaches, and what planning with it is worth
    strings          nested string operations in one step, one by one, and character by character
    decomposition    programs as written against one operation a line, by failure
    planning-depth   how far the goal may be for a plan made in imagination to work
    repair-cost      how many real executions a repair takes, by error rate

Raw results go to DIR/NAME.jsonl as each cell ends, and a study begun goes on where it was; figures (SVG) and tables
stand beside them. Models that continue histories (hf:FOLDER, openai:MODEL) are asked in the history view alone.

The same in Python:

    from cwm_agent.studies.names import studies_named
    from cwm_agent.studies.running import carry_out
    from cwm_agent.studies.workbench import Workbench
    with Workbench("embedded", seed=0) as bench:
        carry_out(studies_named("tracking")[0], Path("runs/study"), bench, quick=True)
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

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
        help="studies at once (default: one a core; with hf: one, as it is large)",
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
    from cwm_agent.oracles.history_names import with_url
    from cwm_agent.oracles.names import HISTORY_ONLY
    from cwm_agent.studies.names import studies_named
    from cwm_agent.studies.together import Order, carry_out_together

    try:
        oracle = with_url(options.oracle, options.base_url)
        views = options.views or (["history"] if oracle.partition(":")[0] in HISTORY_ONLY else None)
        studies = {study.name: study for study in studies_named(options.name)}
        jobs = options.jobs or _jobs(oracle, len(studies))
        order = Order(
            options.out, oracle, options.seed, options.quick, None if views is None else tuple(views), options.seconds
        )
        for name, sheet in carry_out_together(tuple(studies), order, jobs):
            print(f"{studies[name].question}\n\n{sheet.table}", flush=True)
    except errors.USER_ERRORS as error:
        print(f"study: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"study: stopped; the same command goes on from {options.out}.", file=sys.stderr)
        return 130
    return 0


def _jobs(oracle: str, studies: int) -> int:
    """One process a core and at most one a study; a model from a folder may fill the machine by itself."""
    return 1 if oracle.startswith("hf:") else min(os.cpu_count() or 1, studies)


if __name__ == "__main__":
    sys.exit(main())

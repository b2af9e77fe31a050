"""Compare imagined with real execution, step by step: `python -m cwm_agent.verify PATH.. --oracle O --view V --guide
G`.

The same in Python:

    from cwm_agent.verification.files import verify_file
    verify_file("rows.jsonl", oracle="embedded", view="local", guides=["grounded"])
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    description, _, rest = (__doc__ or "").partition("\n\n")
    made = argparse.ArgumentParser(
        "python -m cwm_agent.verify",
        description=description,
        epilog=rest,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    made.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="task files: CRUXEval rows, our JSONL, HumanEvalPack, a .py file",
    )
    made.add_argument(
        "--oracle", default="embedded", help="embedded, exact, none, noisy:iid:state=0.02, module:callable"
    )
    made.add_argument(
        "--view", default="local", choices=("local", "program", "history"), help="what the model is shown"
    )
    made.add_argument("--guide", default="grounded", help="one or more of free,cfg,grounded,forced,anchored:K")
    made.add_argument("--limit", type=int, help="only the first N programs of each file")
    made.add_argument("--steps", type=int, default=2_000, help="longest rollout (default 2000)")
    made.add_argument("--rows", choices=("all", "even", "odd"), default="all", help="rows by the number in their id")
    made.add_argument("--wrong", type=int, default=0, metavar="N", help="show N wrong steps")
    made.add_argument("--json", type=Path, metavar="OUT", help="write the figures to a file")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    from cwm_agent import errors  # with all below it brings gymnasium along, which --help does not need
    from cwm_agent.verification.files import table, verify_file

    runs = []
    try:
        for path in options.paths:
            runs += verify_file(
                path,
                oracle=options.oracle,
                view=options.view,
                guides=options.guide.split(","),
                limit=options.limit,
                steps=options.steps,
                rows=options.rows,
                show_wrong=options.wrong,
            )
    except errors.USER_ERRORS as error:
        print(f"verify: {error}", file=sys.stderr)
        return 2
    print(table(runs))
    if options.json:
        options.json.write_text(json.dumps({"runs": runs}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

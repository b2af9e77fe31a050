"""Learn from your own episodes: which edits to try first, and which candidates lead to a repair.

    python -m cwm_agent.learn runs/mine --tasks repair --out runs/model
    python -m cwm_agent.solve PATH --policy runs/model --value runs/model

RUNS are folders that `solve --out` wrote; `--tasks` names the tasks that they solved, since an episode does not hold
the program. The buggy programs run once more, in the sandbox.

The same in Python:

    from cwm_agent import Settings, load_tasks, solve_tasks
    from cwm_agent.agent.learning.learnt_model import learn
    tasks = load_tasks("repair/one_edit_short")[:2]
    solve_tasks(tasks, Settings(oracle="exact", ceiling=True), "runs/mine")
    learn(["runs/mine"], tasks).save("runs/model")
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from cwm_agent.commands.command_line import CommandParser, exit_status
from tasks.output.terminal_text import print_line

PROGRAM = "python -m cwm_agent.learn"


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    made = CommandParser(__doc__, PROGRAM, program)
    add = made.add_argument
    add("runs", nargs="+", metavar="RUNS", help="results folders of `solve`")
    add("--tasks", default="repair", metavar="PATH", help="the tasks that the runs solved (default: %(default)s)")
    add("--out", type=Path, required=True, metavar="MODEL", help="folder for the learnt model")
    return made


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    return exit_status("learn", lambda: run(options), "Stopped. Nothing was written.")


def run(options: argparse.Namespace) -> int:
    """Learn, write the model and print what it was learnt from."""
    from cwm_agent.agent.learning.learnt_model import learn
    from cwm_agent.commands.progress import progress
    from tasks import load

    tasks = load(options.tasks).tasks
    with progress("learn", len(tasks)) as shown:
        model = learn(
            options.runs, tasks, on_task=lambda task, done, total: shown.tell([f"[{done}/{total}] {task}"], done, total)
        )
    path = model.save(options.out)
    print_line("; ".join(f"{name}: {value}" for name, value in model.learnt_from.items()))
    print_line(f"The model is in {path}; use it with solve --policy {options.out} --value {options.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Make a report of a run: one HTML file to look at, without any network.

    python -m cwm_agent.report runs/repair-0                                  runs/repair-0/report.html
    python -m cwm_agent.report runs/repair-0 --compare runs/random-0          its curve beside another run's

RUN is what a command wrote: the folder of `solve`, the folder of `study`, the file of `rollout`. Imagined frames are
those of the run; real runs are traced again in the sandbox. A report above 2 MB becomes an index and one file a task.

The same in Python:

    from pathlib import Path
    from cwm_agent import Settings, load_tasks, solve_tasks
    from cwm_agent.report import make_report
    solve_tasks(load_tasks("repair")[:1], Settings(oracle="none"), "runs/mine")
    print(make_report(Path("runs/mine")))
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cwm_agent import __version__
from cwm_agent.commands.command_line import CommandParser, exit_status
from tasks.output.terminal_text import print_line

if TYPE_CHECKING:
    from cwm_agent.reports.html_file import ReportData

PROGRAM = "python -m cwm_agent.report"


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    made = CommandParser(__doc__, PROGRAM, program)
    add = made.add_argument
    add("run", type=Path, metavar="RUN", help="the folder or file that a command wrote")
    add("--compare", type=Path, action="append", default=[], metavar="RUN2", help="another run of `solve`; may repeat")
    add("--no-run", action="store_true", help="trace no program again: imagined runs are shown alone")
    add("--out", type=Path, metavar="FILE.html", help="the file to write (default: report.html beside the run)")
    return made


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    return exit_status("report", lambda: _run(options), "report: stopped; nothing was written.")


def _run(options: argparse.Namespace) -> int:
    made = make_report(options.run, options.out, compared=options.compare, runs_programs=not options.no_run)
    print_line(f"wrote {made}")
    return 0


def make_report(
    run: Path, out: Path | None = None, *, compared: Sequence[Path] = (), runs_programs: bool = True
) -> Path:
    """Write the report of what a command wrote, and return the file; other runs of `solve` are drawn beside it."""
    target = out or (run / "report.html" if run.is_dir() else run.with_suffix(".html"))
    if target.suffix not in (".html", ".htm"):
        from cwm_agent.commands.usage import UsageError

        raise UsageError(f"{target} is no HTML file. Give --out a name that ends in .html.")
    return write(target, report_of(run, compared, runs_programs=runs_programs))


def write(target: Path, data: "ReportData") -> Path:
    """Write a report, with the version that made it."""
    from cwm_agent.reports.html_file import ReportData, write_report
    from tasks.output.atomic_file import check_target

    target.parent.mkdir(parents=True, exist_ok=True)
    check_target(target)
    return write_report(target, ReportData({**data.index, "version": __version__}, data.pages))[-1]


def report_of(run: Path, compared: Sequence[Path] = (), *, runs_programs: bool = True) -> "ReportData":
    """The data of a report, by what the run is: a solve, a study, or a file of rollouts."""
    from cwm_agent.reports.rollout_page import is_rollouts, rollout_report
    from cwm_agent.reports.run_folder import NoRun, read_run
    from cwm_agent.reports.run_page import run_report
    from cwm_agent.reports.study_page import study_report

    if not run.exists():
        raise NoRun(f"There is no {run}. Give the folder or file that a command wrote.")
    if run.is_file() and is_rollouts(run):
        return rollout_report(run)
    if run.is_dir() and not (run / "episodes.jsonl").exists() and any(run.glob("*.md")):
        return study_report(run)
    return run_report(read_run(run), [read_run(each) for each in compared], runs_programs=runs_programs)


if __name__ == "__main__":
    sys.exit(main())

"""Make a game's Python from trajectories of it: `python -m cwm_agent.synthesise --game kuhn --trajectories 20`.

A draft of the rules, with injected faults (`--faults`) or a missing body (`--missing step`), is repaired by the agent
until it reproduces every recorded transition. Accuracy is told on trajectories of another policy and on states that a
planner reached in the model; then planning in the model is played beside planning in the game. The same in Python:

    from cwm_agent.agent.settings import Settings
    from cwm_agent.synthesis.synthesis_run import SynthesisOrder, run_synthesis
    from envs.execution.sandbox.sandbox import Sandbox
    with Sandbox() as sandbox:
        order = SynthesisOrder("kuhn", trajectories=5, missing="step", matches=2, simulations=20)
        report = run_synthesis(order, Settings(), sandbox)
    print(report.source, report.after.described())
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cwm_agent import defaults
from cwm_agent.commands.command_line import CommandParser, exit_status
from tasks.output.terminal_text import print_line, print_text

if TYPE_CHECKING:
    from cwm_agent.synthesis.synthesis_run import SynthesisReport
    from cwm_agent.synthesis.synthesiser import RuleResult

PROGRAM = "python -m cwm_agent.synthesise"


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    made = CommandParser(__doc__, PROGRAM, program, examples_last=True)
    add = made.add_argument
    add("--game", required=True, metavar="NAME", help="tic-tac-toe, connect-four, kuhn, leduc or millrace")
    add("--trajectories", type=int, default=20, metavar="N", help="recorded games of random players (default: 20)")
    add("--faults", type=int, default=1, metavar="N", help="bugs injected into the draft (default: 1)")
    add("--missing", default="", metavar="FUNCTION", help="leave the body of this function out of the draft instead")
    add("--draft", metavar="FILE.py", help="a draft of your own, in place of one with faults")
    add("--read", metavar="FILE.jsonl", help="trajectories of your own, in place of recorded ones")
    add("--matches", type=int, default=10, metavar="N", help="games played in the model and as many in reality")
    add("--simulations", type=int, default=100, metavar="N", help="simulations of each choice (default: 100)")
    add("--seed", type=int, default=0)
    add("--planner", default=defaults.PLANNER, help="planner of the repairs, as in solve (default: %(default)s)")
    add("--oracle", default=defaults.ORACLE, help="oracle of the repairs, as in solve (default: %(default)s)")
    add("--policy", default=defaults.POLICY, help="edit policy of the repairs, as in solve (default: %(default)s)")
    add("--edits-model", default="", metavar="MODEL", help="a language model that proposes edits beside the rules")
    add("--budget-executions", type=int, default=200, metavar="N", help="real executions of one repair (default: 200)")
    add("--out", metavar="FILE.py", help="write the synthesised game here")
    return made


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    return exit_status("synthesise", lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    from cwm_agent.agent.budget import Budget
    from cwm_agent.agent.settings import Settings
    from cwm_agent.synthesis.synthesis_run import SynthesisOrder, run_synthesis
    from cwm_agent.synthesis.trajectories import read_trajectories
    from envs.execution.sandbox.sandbox import Sandbox
    from tasks.output.atomic_file import write_file

    names = ("game", "trajectories", "faults", "missing", "matches", "simulations", "seed")
    order = SynthesisOrder(**{name: getattr(options, name) for name in names})
    settings = Settings(
        planner=options.planner,
        oracle=options.oracle,
        policy=options.policy,
        proposer=options.edits_model,
        budget=Budget(options.budget_executions),
        seed=options.seed,
    )
    draft = None if options.draft is None else Path(options.draft).read_text(encoding="utf-8")
    transitions = None if options.read is None else read_trajectories(Path(options.read))
    with Sandbox() as sandbox:
        report = run_synthesis(
            order, settings, sandbox, draft=draft, transitions=transitions, on_rule=_print_rule
        )  # fmt: skip
    _print_report(report)
    if options.out is not None:
        write_file(Path(options.out), report.source)
    else:
        print_text(report.source, end="")
    return 0


def _print_rule(rule: RuleResult) -> None:
    runs = f", {rule.executions} real executions" if rule.executions else ""
    print_line(f"{rule.name:<8} {rule.how}: {rule.tests - rule.failed} of {rule.tests} tests pass{runs}", error=True)


def _print_report(report: SynthesisReport) -> None:
    lines = [
        f"draft, other policy     {report.before.described()}",
        f"model, other policy     {report.after.described()}",
        f"model, planner's states {report.played.on_reached.described()}",
    ]
    if report.inference.asked:
        share, asked = report.inference.in_reality, report.inference.asked
        lines.append(f"inferred states         {share:.1%} of {asked} explain what was seen")
    lines.append(
        f"mean return against a random player: {report.played.model_score:+.2f} planned in the model, "
        f"{report.played.real_score:+.2f} in the real game; {report.played.failed} choices failed"
    )
    for line in lines:
        print_line(line, error=True)


if __name__ == "__main__":
    sys.exit(main())

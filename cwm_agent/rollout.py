"""Roll out episodes of an environment, real or imagined, into a JSONL file that learners read.

    python -m cwm_agent.rollout cwm_agent/Permutation-v0 --policy random --episodes 100 --out runs/random.jsonl
    python -m cwm_agent.rollout cwm_agent/Permutation-v0 --world imagined --oracle embedded --out runs/imagined.jsonl

The same in Python:

    from pathlib import Path
    from cwm_agent.rollouts.collection import collect
    from cwm_agent.rollouts.exchange.learner_data import load_rollouts
    from cwm_agent.rollouts.rollout_policies import random_policy
    from cwm_agent.rollouts.rollout_run import RolloutRun
    collect(RolloutRun("cwm_agent/Permutation-v0"), 100, Path("runs/random.jsonl"), random_policy)
    print(load_rollouts("runs/random.jsonl").returns.mean())
"""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent.commands.command_line import CommandParser, defaults_of, exit_status
from cwm_agent.commands.progress import Progress, heartbeat, progress
from cwm_agent.commands.usage import UsageError
from cwm_agent.oracles.service.placement_options import add_cluster_options
from cwm_agent.rollouts.rollout_run import RolloutRun
from tasks.output.terminal_text import print_line

if TYPE_CHECKING:
    from cwm_agent.rollouts.rollout_rows import EpisodeRow

PROGRAM = "python -m cwm_agent.rollout"


def parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    made = CommandParser(__doc__, PROGRAM, program)
    add, usual = made.add_argument, defaults_of(RolloutRun)
    add("env", metavar="ENV_ID", help="cwm_agent/Permutation-v0, Repair-v0, Trace-v0, or any of Gymnasium's")
    add(
        "--policy",
        default=usual["policy"],
        help="random, baseline, planner:NAME or module:callable (default: %(default)s)",
    )
    add("--episodes", type=int, default=10, metavar="N")
    add(
        "--world",
        default=usual["world"],
        choices=("real", "imagined"),
        help="the real environment, or an oracle in its place",
    )
    add(
        "--oracle", default=usual["oracle"], help="imagines the world, and the plans of planners (default: %(default)s)"
    )
    add("--view", default=usual["view"], choices=("local", "program"), help="the text that the oracle sees")
    add("--guide", default=usual["guide"].name, help="the rule that decides the next line: free, cfg or grounded")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="an option of the environment, as JSON")
    add("--width", type=int, default=8, metavar="N", help="environments that advance together (default: %(default)s)")
    add("--seed", type=int, default=usual["seed"], help="of the first episode; the next ones have seed + 1, ...")
    add("--jobs", type=int, metavar="N", help="processes that roll out, each with its own oracle (default: 1)")
    add_cluster_options(add)
    add("--out", type=Path, required=True, metavar="FILE.jsonl", help="file for the rows; an existing one is continued")
    add("--report", action="store_true", help="write a page with the returns beside the file: FILE.html")
    return made


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    options = parser(program).parse_args(arguments)
    print_line(f"{options.episodes} episodes of {options.env}: loading")
    stopped = f"\nStopped. Finished episodes are in {options.out}; the same command continues."
    return exit_status("rollout", lambda: run(options), stopped)


def run(options: argparse.Namespace) -> int:
    """Collect the episodes and print their mean return; progress is shown from the first import on."""
    refuse_unused(options)
    tally = Tally(options.episodes)
    with progress("episodes", options.episodes) as shown, tally.told(terminal=shown.bar is not None):
        _collect(options, tally, shown)
    from cwm_agent.rollouts.rollout_rows import read_rows

    rows = read_rows(options.out)
    mean = sum(row.total for row in rows) / len(rows)
    print_line(
        f"{len(rows)} episodes in {options.out}: return {mean:.3f}, {sum(row.terminated for row in rows)} at the goal"
    )
    if options.report:
        from cwm_agent.report import make_report

        print_line(f"report in {make_report(options.out)}")
    return 0


def refuse_unused(options: argparse.Namespace) -> None:
    """UsageError for an option about imagination that would change nothing in a real world."""
    usual = defaults_of(RolloutRun)
    plans = options.policy.startswith("planner:")
    if options.world == "imagined":
        return
    for name, usual_value, used in (
        ("oracle", usual["oracle"], plans),
        ("view", usual["view"], False),
        ("guide", usual["guide"].name, False),
    ):
        given = getattr(options, name)
        if given != usual_value and not used:
            also = " or --policy planner:NAME" if name == "oracle" else ""
            raise UsageError(f"--{name} {given} would change nothing here; it needs --world imagined{also}.")


def _collect(options: argparse.Namespace, tally: "Tally", shown: Progress) -> None:
    """Collect the episodes that the options ask for; the tally and the display follow them."""
    from cwm_agent.imagination.guides import parse_guide
    from cwm_agent.oracles.service.placement_options import chosen_placement
    from cwm_agent.rollouts.collection import collect, named_parts

    settings = RolloutRun(
        env=options.env,
        policy=options.policy,
        world=options.world,
        oracle=options.oracle,
        view=options.view,
        guide=parse_guide(options.guide),
        seed=options.seed,
        options=environment_options(options.set),
    )
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs} is no number of processes; give 1 or more.")
    placement = chosen_placement(options, options.jobs or (0 if options.cluster else 1), options.oracle)

    def on_episode(row: "EpisodeRow", done: int, total: int) -> None:
        tally.done = done
        shown.tell([line_of(row, done, total)] if tally.is_due(done) else [], done, total)

    with ExitStack() as stack:
        held = named_parts(settings, stack)
        collect(
            settings, options.episodes, options.out, held.policy,
            oracle=held.oracle, width=options.width, on_episode=on_episode, on_steps=tally.count,
            placement=placement, on_nodes=shown.nodes if placement.cluster else None,
        )  # fmt: skip


def environment_options(given: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    """Options of the environment; a value that is no JSON is a string."""
    found = []
    for each in given:
        key, equals, text = each.partition("=")
        if not equals or not key.isidentifier():
            raise UsageError(f"--set {each!r}: write KEY=VALUE, such as --set items=4.")
        try:
            found.append((key, json.loads(text)))
        except ValueError:
            found.append((key, text))
    return tuple(found)


@dataclass(slots=True)
class Tally:
    """Episodes and steps so far, which a line tells every few seconds where no bar shows them."""

    total: int
    done: int = 0
    steps: int = 0

    def count(self, steps: int) -> None:
        self.steps += steps

    def is_due(self, done: int) -> bool:
        """Whether an episode gets a line: each tenth of them does."""
        return done == self.total or done % max(1, self.total // 10) == 0

    def told(self, *, terminal: bool) -> AbstractContextManager[None]:
        """Tells the tally every few seconds, also while the oracle is busy with one step; a bar does that itself."""
        return nullcontext() if terminal else heartbeat(self.line)

    def line(self) -> str:
        return f"{self.done} of {self.total} episodes, {self.steps} steps"


def line_of(row: "EpisodeRow", done: int, total: int) -> str:
    """The line of one finished episode."""
    return f"[{done}/{total}] {row.task:<40} return {row.total:6.3f}, {len(row.actions)} steps"


if __name__ == "__main__":
    sys.exit(main())

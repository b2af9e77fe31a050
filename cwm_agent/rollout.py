"""Roll out episodes of an environment, real or imagined, into a JSONL file that learners read.

    python -m cwm_agent.rollout cwm_agent/Permutation-v0 --policy random --episodes 100 --out runs/random.jsonl
    python -m cwm_agent.rollout cwm_agent/Permutation-v0 --world imagined --oracle embedded --out runs/dreams.jsonl

The same in Python:

    from cwm_agent.rollouts.learner_data import load_rollouts
    from cwm_agent.rollouts.collection import Run, collect
    collect(Run("cwm_agent/Permutation-v0"), 100, Path("runs/random.jsonl"), random_policy, None)
    load_rollouts("runs/random.jsonl").returns
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwm_agent.usage import UsageError

if TYPE_CHECKING:
    from cwm_agent.oracles.protocol import Oracle
    from cwm_agent.rollouts.rollout_rows import EpisodeRow


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        "python -m cwm_agent.rollout", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = made.add_argument
    add("env", metavar="ENV_ID", help="cwm_agent/Permutation-v0, Repair-v0, Trace-v0, or any of Gymnasium's")
    add("--policy", default="random", help="random, baseline, planner:NAME or module:callable (default: %(default)s)")
    add("--episodes", type=int, default=10, metavar="N")
    add("--world", default="real", choices=("real", "imagined"), help="who answers: the environment, or an oracle")
    add("--oracle", default="embedded", help="of an imagined world and of planners (default: %(default)s)")
    add("--view", default="local", choices=("local", "program"), help="what the oracle is shown")
    add("--guide", default="grounded", help="free, cfg or grounded")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="an option of the environment, as JSON")
    add("--width", type=int, default=8, metavar="N", help="episodes side by side (default: %(default)s)")
    add("--seed", type=int, default=0, help="of the first episode; the others count on from it")
    add("--out", type=Path, required=True, metavar="FILE.jsonl", help="where rows go; goes on from there")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    from cwm_agent import errors

    try:
        return run(options)
    except errors.USER_ERRORS as error:
        print(f"rollout: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"\nStopped. Finished episodes are in {options.out}; the same command goes on from there.", file=sys.stderr
        )
        return 130


def run(options: argparse.Namespace) -> int:
    """Collect the episodes and print what they came to."""
    from cwm_agent.imagination.guides import parse_guide
    from cwm_agent.oracles.registry import oracle_named
    from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
    from cwm_agent.rollouts.collection import RolloutRun, collect
    from cwm_agent.rollouts.rollout_policies import policy_named
    from cwm_agent.rollouts.rollout_rows import read_rows
    from envs.execution.sandbox.sandbox import Sandbox
    from envs.execution.tracer.reality import Reality

    opened: list[Oracle] = []

    def oracle() -> "Oracle":
        if not opened:
            opened.append(CachedOracle(oracle_named(options.oracle, lambda: Reality(Sandbox()))))
        return opened[0]

    settings = RolloutRun(
        options.env,
        options.policy,
        options.world,
        options.oracle,
        options.view,
        parse_guide(options.guide),
        options.seed,
        environment_options(options.set),
    )
    policy = policy_named(options.policy, oracle)
    dreamt = oracle() if options.world == "imagined" else None
    collect(settings, options.episodes, options.out, policy, dreamt, width=options.width, told=tell)
    rows = read_rows(options.out)
    mean = sum(row.total for row in rows) / len(rows)
    print(
        f"{len(rows)} episodes in {options.out}: return {mean:.3f}, {sum(row.terminated for row in rows)} at the goal"
    )
    return 0


def environment_options(given: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    """Options of the environment; a value that is no JSON is taken as text."""
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


def tell(row: "EpisodeRow", done: int, total: int) -> None:
    """One line for each tenth of the episodes."""
    if done == total or done % max(1, total // 10) == 0:
        print(f"[{done}/{total}] {row.task:<40} return {row.total:6.3f}, {len(row.actions)} steps", flush=True)


if __name__ == "__main__":
    sys.exit(main())

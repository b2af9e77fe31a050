"""Compares all planners on the same worlds: exact, with errors, deep, and large; with other libraries if installed.

    python -m benchmarks.planners --json OUT [--seeds 30] [--tables exact,erring,deep,cost]

The worlds are in `benchmarks.search_worlds.search_worlds`. Seconds are processor time, the best
of five per start; everything else is the same in every run. `rows` holds the exact world; docs/planners.md shows all
four tables.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.search_worlds import reference_search, search_peers
from benchmarks.search_worlds.search_worlds import Erring, Permutation, State, Swap, Taught, distant_start, random_start
from planners import (
    MCTS,
    Beam,
    BestFirst,
    Gumbel,
    Limits,
    Plan,
    Planner,
    RandomShooting,
    Step,
    Widening,
    correct,
    plan_with,
    read_plan,
    run,
)

Row = dict[str, Any]

SIMULATIONS = 1000
DEPTH = 12
REAL_RUNS = 10
ROUNDS = 5

PLANNERS: dict[str, Planner] = {
    "mcts": MCTS(),
    "mcts, exploration 1": MCTS(exploration=1.0),
    "mcts, 16 leaves": MCTS(leaves=16),
    "mcts, mean": MCTS(backup="mean"),
    "mcts, mean, 16 leaves": MCTS(backup="mean", leaves=16),
    "mcts, transpositions": MCTS(transpositions=True),
    "mcts, mean, transpositions": MCTS(backup="mean", transpositions=True),
    "mcts, gumbel": MCTS(gumbel=Gumbel()),
    "mcts, widening": MCTS(widening=Widening()),
    "beam 8": Beam(),
    "beam 8, whole levels": Beam(leaves=None),
    "best-first": BestFirst(),
    "best-first, 8 leaves": BestFirst(leaves=8),
    "random shooting": RandomShooting(),
}


def exact_table(seeds: int) -> list[Row]:
    """Rows of the exact world: every planner, the reference and the peers, by turns on each start.

    Each start is searched `ROUNDS` times and the fastest counts, since other processes only slow a search.
    """
    world, limits = Permutation(), Limits(depth=DEPTH)
    searches = {"mcts": _searching(PLANNERS["mcts"], limits), "tight reference (as mcts)": _reference}
    searches |= {name: _searching(planner, limits) for name, planner in PLANNERS.items()}
    searches |= {name: _with_unknown_batches(search) for name, search in search_peers.installed()}
    gc.collect()
    gc.freeze()  # else what the peers import makes everyone's garbage collection slower
    outcomes: dict[str, list[PlannerOutcome]] = {name: [] for name in searches}
    for seed in range(seeds):
        start = random_start(world, seed)
        rounds = [{name: search(world, start) for name, search in searches.items()} for _ in range(ROUNDS)]
        for name in searches:
            outcomes[name].append(min((each[name] for each in rounds), key=lambda outcome: outcome.seconds))
    return [_exact_row(name, outcomes[name]) for name in searches]


@dataclass(frozen=True, slots=True)
class PlannerOutcome:
    """One search of one start."""

    found: bool
    """Whether the goal is on the returned path; of a tree, on its most visited one."""
    calls: int
    batches: int | None
    seconds: float
    """Processor time."""


def _searching(planner: Planner, limits: Limits) -> Callable[[Permutation, State], PlannerOutcome]:
    def search(world: Permutation, start: State) -> PlannerOutcome:
        began = time.process_time()
        plan: Plan[State, Swap] = plan_with(planner, world, world.at(start), limits, rng=Random(0))
        seconds = time.process_time() - began
        return PlannerOutcome((plan.most_visited or plan).end == "goal", plan.spent.calls, plan.spent.batches, seconds)

    return search


def _reference(world: Permutation, start: State) -> PlannerOutcome:
    began = time.process_time()
    found, calls = reference_search.search(
        world, start, simulations=SIMULATIONS, exploration=MCTS().exploration, depth=DEPTH
    )
    return PlannerOutcome(found, calls, calls, time.process_time() - began)


def _with_unknown_batches(search: search_peers.Search) -> Callable[[Permutation, State], PlannerOutcome]:
    def searched(world: Permutation, start: State) -> PlannerOutcome:
        found, calls, seconds = search(world, start, SIMULATIONS)
        return PlannerOutcome(found, calls, None, seconds)

    return searched


def _exact_row(name: str, outcomes: Sequence[PlannerOutcome]) -> Row:
    seeds, batches = len(outcomes), [outcome.batches for outcome in outcomes if outcome.batches is not None]
    simulates = name not in PLANNERS or isinstance(PLANNERS[name], MCTS)
    rate = round(seeds * SIMULATIONS / sum(outcome.seconds for outcome in outcomes))
    return {
        "search": name,
        "sims_per_s": rate if simulates else None,
        "path": sum(outcome.found for outcome in outcomes),
        "seeds": seeds,
        "calls": sum(outcome.calls for outcome in outcomes) / seeds,
        "batches": sum(batches) / seeds if batches else None,
    }


def erring_table(seeds: int) -> list[Row]:
    """Measure real success on a model that errs systematically: of the first plan, and within ten real
    runs."""
    world = Permutation()
    chosen = {name: planner for name, planner in PLANNERS.items() if name != "mcts, widening"}
    rows = []
    for rate in (0.01, 0.05, 0.10):
        for name, planner in chosen.items():
            runs = [_real_runs(planner, world, rate, seed) for seed in range(seeds)]
            rows.append(_erring_row(rate, name, runs))
        for name in ("mcts", "mcts, mean", "mcts, 16 leaves", "mcts, mean, 16 leaves"):
            config = PLANNERS[name]
            assert isinstance(config, MCTS)
            runs = [_real_runs_in_one_tree(config, world, rate, seed) for seed in range(seeds)]
            rows.append(_erring_row(rate, f"{name}; one tree, corrected", runs))
    return rows


def _erring_row(rate: float, name: str, runs: Sequence[tuple[int | None, int]]) -> Row:
    solved = [count for count, _ in runs if count is not None]
    return {
        "rate": rate,
        "search": name,
        "first_plan": sum(count == 1 for count in solved),
        "within_ten": len(solved),
        "real_runs": sum(REAL_RUNS if count is None else count for count, _ in runs) / len(runs),
        "calls": sum(calls for _, calls in runs) / len(runs),
        "seeds": len(runs),
    }


def _real_runs(planner: Planner, world: Permutation, rate: float, seed: int) -> tuple[int | None, int]:
    """Plan, execute, teach the model the real steps, and plan again; return real runs until solved, and
    calls."""
    start, calls = random_start(world, seed), 0
    model = Taught(Erring(world, rate, seed))
    for count in range(1, REAL_RUNS + 1):
        plan = plan_with(planner, model, world.at(start), Limits(depth=DEPTH), rng=Random(seed))
        calls += plan.spent.calls
        states = world.replay(start, plan.actions)
        if states[-1] == world.goal:
            return count, calls
        for state, swap, after in zip(states, plan.actions, states[1:], strict=False):
            model.real[state, swap] = world.at(after)
    return None, calls


def _real_runs_in_one_tree(config: MCTS, world: Permutation, rate: float, seed: int) -> tuple[int | None, int]:
    """The same with one tree that is corrected in place and searched further, without a new plan."""
    start = random_start(world, seed)
    search = config.search(Erring(world, rate, seed), world.at(start), Limits(depth=DEPTH), Random(seed))
    for count in range(1, REAL_RUNS + 1):
        plan = run(search)
        states = world.replay(start, plan.actions)
        if states[-1] == world.goal:
            return count, search.spent.calls
        for length in range(1, len(states)):
            correct(search, plan.actions[:length], world.at(states[length]))
            if states[length] != plan.states[length]:
                break  # what was imagined from here on hung on a wrong state, and is gone
        search.remaining = config.simulations
    return None, search.spent.calls


def deep_table(seeds: int) -> list[Row]:
    """Measure success against model calls where the goal is 10 to 20 moves away, with a poor and a good
    value."""
    return [
        _deep_row(
            name, planner, Permutation(items=12, neighbours=True, by_distance=by_distance), calls=calls, seeds=seeds
        )
        for by_distance in (False, True)
        for calls in (300, 1000, 3000)
        for name, planner in PLANNERS.items()
    ]


def _deep_row(name: str, planner: Planner, world: Permutation, *, calls: int, seeds: int) -> Row:
    enough, limits = _with_calls(planner, calls), Limits(calls=calls, depth=30)
    starts = [world.at(distant_start(world, seed)) for seed in range(seeds)]
    plans = [plan_with(enough, world, start, limits, rng=Random(seed)) for seed, start in enumerate(starts)]
    return {
        "value": "distance" if world.by_distance else "places",
        "calls": calls,
        "search": name,
        "found": sum(plan.end == "goal" or plan.best_goal is not None for plan in plans),
        "seeds": seeds,
    }


def _with_calls(planner: Planner, calls: int) -> Planner:
    """Return the planner with enough simulations or rollouts for a number of calls."""
    if isinstance(planner, MCTS):
        return replace(planner, simulations=calls)
    if isinstance(planner, RandomShooting):
        return replace(planner, rollouts=max(1, calls // 30))
    return planner


def cost_table() -> list[Row]:
    """Measure seconds a simulation and bytes a node of trees of three sizes."""
    world = Permutation(items=12, neighbours=True)
    start = world.at(distant_start(world, 10))
    rows = []
    for simulations in (1000, 10_000, 100_000):
        for name, config in (("mcts", MCTS()), ("mcts, transpositions", MCTS(transpositions=True))):
            config = replace(config, simulations=simulations, leaves=16)
            limits = Limits(calls=None, depth=30)
            seconds = _seconds(lambda c=config, n=limits: c.plan(world, start, n, Random(0)))  # type: ignore[misc]
            size, nodes = _tree_bytes(config, world, start, limits)
            rows.append(
                {
                    "search": name,
                    "simulations": simulations,
                    "us_per_simulation": round(1e6 * seconds / simulations, 1),
                    "nodes": nodes,
                    "bytes_per_node": round(size / nodes),
                }
            )
    return rows


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _tree_bytes(config: MCTS, world: Permutation, start: Step[State], limits: Limits) -> tuple[int, int]:
    """Return the memory that a search holds, states among it, and its number of nodes."""
    gc.collect()
    tracemalloc.start()
    search = config.search(world, start, limits, Random(0))
    run(search)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert read_plan(search) is not None
    return size, len(search.tree)


def show(title: str, rows: list[Row]) -> None:
    """Print rows as one Markdown table."""
    names = list(rows[0])
    print(f"\n### {title}\n\n| " + " | ".join(names) + " |\n|" + "---|" * len(names))
    for row in rows:
        print(
            "| "
            + " | ".join(
                "" if row[n] is None else f"{row[n]:.6g}" if isinstance(row[n], float) else str(row[n]) for n in names
            )
            + " |"
        )
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the chosen tables, print them, and write them as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planners", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all tables to this file")
    parser.add_argument("--seeds", type=int, default=30, help="number of seeds, from 0 (default 30)")
    parser.add_argument("--tables", default="exact,erring,deep,cost", help="comma-separated; default: all four")
    options = parser.parse_args(arguments)
    tables: dict[str, Callable[[], list[Row]]] = {
        "exact": lambda: exact_table(options.seeds),
        "erring": lambda: erring_table(options.seeds),
        "deep": lambda: deep_table(options.seeds),
        "cost": cost_table,
    }
    chosen = options.tables.split(",")
    unknown = [name for name in chosen if name not in tables]
    if unknown:
        parser.error(f"no table named {unknown[0]!r}; choose from {', '.join(tables)}")
    results: dict[str, list[Row]] = {}
    for name in chosen:
        results[name] = tables[name]()
        show(name, results[name])
    if options.json is not None:
        about = {"python": platform.python_version(), "machine": platform.machine(), "seeds": options.seeds}
        data = {"about": about, "rows": results.pop("exact", []), **results}
        options.json.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Searches under chance and hidden state: beside OpenSpiel where it is installed, beside exact optima everywhere.

    python -m benchmarks.games --json OUT [--tables cost,strength,poker,hidden,synthesis] [--games 400] [--jobs 2]

`cost` and `strength` need OpenSpiel (the extra `games`); `poker` shows its row where it is installed. Intervals are
bootstrap intervals of 95 % over games, episodes or seeds.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.game_parts import hidden_values, spiel_peers, synthesis_rows
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.studies.intervals import share
from tasks.output.terminal_text import print_line, print_text

Row = dict[str, Any]
SIMULATIONS = {"tic-tac-toe": 100, "connect-four": 200, "kuhn": 200, "leduc": 200}
HORIZONS = {"tiger": 10, "rocks": 6}


def with_interval(values: Sequence[float]) -> Row:
    """Return a mean with its interval, ready for a row."""
    mean, interval = share(values)
    return {"mean": mean, "low": interval.low, "high": interval.high, "count": len(values)}


def spread(jobs: int, function: Callable[[int], Any], seeds: Iterable[int]) -> list[Any]:
    """Return the function's value for each seed, computed by several processes."""
    if jobs == 1:
        return [function(seed) for seed in seeds]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(function, seeds))


def cost_rows(options: argparse.Namespace) -> list[Row]:
    """Microseconds a simulation; `share` is our search over OpenSpiel's, both apart from the game's own calls."""
    return [
        {"game": game, "evaluator": "constant" if constant else "rollout", **cost}
        for game in SIMULATIONS
        for constant in (True, False)
        for cost in [spiel_peers.search_cost(game, 1000, constant=constant)]
    ]


def strength_rows(options: argparse.Namespace) -> list[Row]:
    """Our mean return against OpenSpiel's search at equal simulations."""
    return [
        {"game": game, "simulations": count}
        | with_interval(spread(options.jobs, partial(spiel_peers.match, game, count), range(options.games)))
        for game, count in SIMULATIONS.items()
    ]


def poker_rows(options: argparse.Namespace) -> list[Row]:
    """Exploitability of searches that begin anew in every information set."""
    searches = {"ours": spiel_peers.poker_exploitability}
    if find_spec("pyspiel"):
        searches["open_spiel"] = spiel_peers.spiel_exploitability
    return [
        {"game": game, "simulations": count, "search": name}
        | with_interval(spread(options.jobs, partial(search, game, count), range(options.seeds)))
        for game in ("kuhn", "leduc")
        for count in options.simulations
        for name, search in searches.items()
    ]


def hidden_rows(options: argparse.Namespace) -> list[Row]:
    """Returns of POMCP beside the exact optimum."""
    return [
        {"world": world, "horizon": horizon, "simulations": count, "optimum": hidden_values.optimum(world, horizon)}
        | with_interval(
            spread(options.jobs, partial(hidden_values.episode, world, horizon, count), range(options.episodes))
        )
        for world, horizon in HORIZONS.items()
        for count in options.simulations
    ]


def synthesis_table(options: argparse.Namespace) -> list[Row]:
    """Synthesised models of five games, by trajectories and faults."""
    rows = []
    for game in ("tic-tac-toe", "kuhn", "leduc", "connect-four", "millrace"):
        for trajectories in options.trajectories:
            for faults in options.faults:
                work = partial(synthesis_rows.synthesis_row, game, trajectories, faults)
                found = spread(options.jobs, work, range(options.seeds))
                mean = {name: sum(row[name] for row in found) / len(found) for name in MEASURED}
                rows.append({"game": game, "trajectories": trajectories, "faults": faults or "missing step"} | mean)
    return rows


MEASURED = ("draft", "model", "reached", "complete", "in_model", "in_game", "executions")
TABLES: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "cost": cost_rows,
    "strength": strength_rows,
    "poker": poker_rows,
    "hidden": hidden_rows,
    "synthesis": synthesis_table,
}


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--simulations", type=_numbers, default=[100, 1000])
    parser.add_argument("--trajectories", type=_numbers, default=[5, 20])
    parser.add_argument("--faults", type=_numbers, default=[0, 1, 2, 3, 5], help="0: the body of step is missing")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    found: Row = {"python": platform.python_version(), "machine": platform.machine()}
    for name in options.tables.split(","):
        rows = TABLES[name](options)
        found[name] = rows
        print_line(f"{name}: {TABLES[name].__doc__}")
        print_text(markdown(list(rows[0]), [list(row.values()) for row in rows]))
        if options.json:
            options.json.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

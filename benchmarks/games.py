"""Searches under chance and hidden state: beside OpenSpiel where it is installed, beside exact optima everywhere.

    python -m benchmarks.games --json OUT [--tables cost,strength,poker,hidden,synthesis] [--games 400] [--jobs 2]
    python -m benchmarks.games --tables poker,hidden --only kuhn,rocks

`cost` and `strength` need OpenSpiel (the extra `games`); `poker` shows its row where it is installed. Intervals are
bootstrap intervals of 95 % over games, episodes or seeds.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.game_parts import hidden_values, spiel_peers, synthesis_rows
from cwm_agent.jobs.function_calls import map_calls
from cwm_agent.jobs.placement import Placement
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.studies.intervals import share
from tasks.output.terminal_text import print_line, print_text

Row = dict[str, Any]
Names = TypeVar("Names", dict[str, int], tuple[str, ...])
SIMULATIONS = {"tic-tac-toe": 100, "connect-four": 200, "kuhn": 200, "leduc": 200}
GAMES = 400
HORIZONS = {"tiger": 10, "rocks": 6}


def _chosen(names: Names, options: argparse.Namespace) -> Names:
    """Return the games or worlds of a table that --only leaves."""
    if options.only is None:
        return names
    wanted = options.only.split(",")
    if isinstance(names, dict):
        return {name: value for name, value in names.items() if name in wanted}
    return tuple(name for name in names if name in wanted)


def with_interval(values: Sequence[float]) -> Row:
    """Return a mean with its interval, ready for a row."""
    mean, interval = share(values)
    return {"mean": mean, "low": interval.low, "high": interval.high, "count": len(values)}


def spread(jobs: int, function: Callable[[int], Any], seeds: Iterable[int]) -> list[Any]:
    """Return the function's value for each seed, computed by several processes."""
    return list(map_calls(function, seeds, Placement(jobs)))


def cost_rows(options: argparse.Namespace) -> Iterator[Row]:
    """Microseconds a simulation; `share` is our search over OpenSpiel's, both apart from the game's own calls."""
    for game in _chosen(SIMULATIONS, options):
        for constant in (True, False):
            cost = spiel_peers.search_cost(game, 1000, constant=constant)
            yield {"game": game, "evaluator": "constant" if constant else "rollout", **cost}


def strength_rows(options: argparse.Namespace) -> Iterator[Row]:
    """Our mean return against OpenSpiel's search at equal simulations."""
    for game, count in _chosen(SIMULATIONS, options).items():
        matches = options.games.get(game, options.games.get("", GAMES))
        seeds = range(options.first_seed, options.first_seed + matches)
        found = spread(options.jobs, partial(spiel_peers.match, game, count), seeds)
        yield {"game": game, "simulations": count} | with_interval(found)


def poker_rows(options: argparse.Namespace) -> Iterator[Row]:
    """Exploitability of searches that begin anew in every information set."""
    searches = {"ours": spiel_peers.poker_exploitability}
    if find_spec("pyspiel"):
        searches["ours, on OpenSpiel's game"] = spiel_peers.same_game_exploitability
        searches["open_spiel"] = spiel_peers.spiel_exploitability
    for game, count, name in product(_chosen(("kuhn", "leduc"), options), options.simulations, searches):
        found = spread(options.jobs, partial(searches[name], game, count), range(options.seeds))
        yield {"game": game, "simulations": count, "search": name} | with_interval(found)


def hidden_rows(options: argparse.Namespace) -> Iterator[Row]:
    """Returns of POMCP beside the exact optimum, and the exact loss of its actions."""
    for world, horizon in _chosen(HORIZONS, options).items():
        best = hidden_values.optimum(world, horizon)
        for count in options.simulations:
            work = partial(hidden_values.episode, world, horizon, count)
            seeds = range(options.first_seed, options.first_seed + options.episodes)
            found = spread(options.jobs, work, seeds)
            loss = {f"loss {name}": value for name, value in with_interval([each.loss for each in found]).items()}
            del loss["loss count"]
            head = {"world": world, "horizon": horizon, "simulations": count, "optimum": best}
            yield head | with_interval([each.total for each in found]) | loss


def synthesis_table(options: argparse.Namespace) -> Iterator[Row]:
    """Synthesised models of five games, by trajectories and faults."""
    games = _chosen(("tic-tac-toe", "kuhn", "leduc", "connect-four", "millrace"), options)
    for game, trajectories, faults in product(games, options.trajectories, options.faults):
        how = {"repair": options.repair, "matches": options.matches}
        work = partial(synthesis_rows.synthesis_row, game, trajectories, faults, **how)
        found = spread(options.jobs, work, range(options.seeds))
        mean = {name: sum(row[name] for row in found) / len(found) for name in MEASURED}
        yield {"game": game, "trajectories": trajectories, "faults": faults or "missing step"} | mean


MEASURED = ("draft", "model", "reached", "complete", "in_model", "in_game", "executions")
TABLES: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "cost": cost_rows,
    "strength": strength_rows,
    "poker": poker_rows,
    "hidden": hidden_rows,
    "synthesis": synthesis_table,
}


def _games(text: str) -> dict[str, int]:
    """Matches of each game by its name; of all others under the empty name."""
    found = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        if name not in ("", *SIMULATIONS) or not number.isdecimal() or int(number) < 1:
            raise argparse.ArgumentTypeError(f"{part!r} is no number of matches, nor GAME=NUMBER.")
        found[name] = int(number)
    return found


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument(
        "--games", type=_games, default={}, help=f"matches of each game (default {GAMES}): 200, or kuhn=400,leduc=100"
    )
    parser.add_argument("--only", help="the games and worlds of the tables, as kuhn,rocks; default all")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0, help="of `hidden` and `strength` (default 0)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--simulations", type=_numbers, default=[100, 1000])
    parser.add_argument("--trajectories", type=_numbers, default=[5, 20])
    parser.add_argument("--faults", type=_numbers, default=[0, 1, 2, 3, 5], help="0: the body of step is missing")
    parser.add_argument(
        "--repair",
        choices=synthesis_rows.REPAIRS,
        default="climb",
        help="what repairs a draft: real runs alone, or the agent with its model and policy (default climb)",
    )
    parser.add_argument("--matches", type=int, default=6, help="games of a synthesised model (default 6)")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    found: Row = {"python": platform.python_version(), "machine": platform.machine()}
    for name in options.tables.split(","):
        print_line(f"{name}: {TABLES[name].__doc__}")
        rows: list[Row] = []
        for row in TABLES[name](options):  # each is kept as soon as it is known
            rows.append(row)
            found[name] = rows
            if options.json:
                options.json.write_text(json.dumps(found, indent=1))
        if rows:
            print_text(markdown(list(rows[0]), [list(row.values()) for row in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

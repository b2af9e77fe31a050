"""The benchmark of planners runs, and its JSON has the published keys."""

from __future__ import annotations

import json
from random import Random

from benchmarks import planners as benchmark
from benchmarks.search_worlds.reference_search import search
from benchmarks.search_worlds.search_worlds import Permutation, distant_start, inversions, random_start
from planners import MCTS


def test_the_exact_table_has_its_published_keys(tmp_path, capsys, monkeypatch):
    """rows: search, sims_per_s, path, seeds, calls, batches; one row a planner, and the reference."""
    monkeypatch.setattr(benchmark.search_peers, "installed", lambda: iter(()))
    benchmark.main(["--tables", "exact", "--seeds", "1", "--json", str(tmp_path / "out.json")])
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert len(rows) == len(benchmark.PLANNERS) + 1
    assert all(set(row) == {"search", "sims_per_s", "path", "seeds", "calls", "batches"} for row in rows)
    assert "| mcts |" in capsys.readouterr().out


def test_the_reference_searches_exactly_as_the_library_does():
    """Same rules, same calls: what is compared is speed alone."""
    world = Permutation()
    for seed in range(3):
        start = random_start(world, seed)
        plan = MCTS().plan(world, world.at(start), benchmark.Limits(depth=benchmark.DEPTH), Random(0))
        found, calls = search(world, start, simulations=1000, exploration=MCTS().exploration, depth=benchmark.DEPTH)
        assert ((plan.most_visited or plan).end == "goal", plan.spent.calls) == (found, calls)


def test_the_deep_world_starts_ten_to_twenty_moves_away():
    """The distance is exact: each neighbour swap mends one inversion."""
    world = Permutation(items=12, neighbours=True)
    assert [inversions(distant_start(world, seed)) for seed in range(11)] == list(range(10, 21))

"""Claims about permutation tasks: exact distances, uniform sampling, and reproducible files."""

from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from tasks import PermutationTask, load
from tasks.permutations import arrangement_at, distance_between
from tasks.write_permutations import SHIPPED, write_shipped


def searched_distances(items: int, generators: str) -> dict[tuple[int, ...], int]:
    """Distances from the sorted order by breadth-first search, to compare with the formulas."""
    pairs = [(a, b) for b in range(items) for a in range(b) if generators == "swaps" or b == a + 1]
    found, edge = {tuple(range(items)): 0}, [tuple(range(items))]
    while edge:
        state = edge.pop(0)
        for a, b in pairs:
            swapped = list(state)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            if tuple(swapped) not in found:
                found[tuple(swapped)] = found[state] + 1
                edge.append(tuple(swapped))
    return found


@pytest.mark.parametrize("generators", ["adjacent", "swaps"])
def test_the_formula_equals_breadth_first_search(generators: str) -> None:
    real = searched_distances(5, generators)
    goal = tuple(range(5))
    assert {start: distance_between(start, goal, generators) for start in permutations(goal)} == real


def test_the_goal_may_be_any_arrangement() -> None:
    assert distance_between((3, 7, 5), (7, 5, 3), "adjacent") == 2
    assert distance_between((3, 7, 5), (3, 7, 5), "swaps") == 0
    assert distance_between((3, 7, 5), (7, 5, 3), "reversals") is None


@pytest.mark.parametrize(("generators", "distance"), [("adjacent", 3), ("swaps", 2)])
def test_every_arrangement_at_the_distance_is_about_equally_likely(generators: str, distance: int) -> None:
    real = {start for start, steps in searched_distances(4, generators).items() if steps == distance}
    rng = Random(0)
    drawn = Counter(arrangement_at(distance, 4, generators, rng) for _ in range(300 * len(real)))
    assert drawn.keys() == real
    assert min(drawn.values()) > 230
    assert max(drawn.values()) < 370


def test_a_distance_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="distance 11"):
        arrangement_at(11, 5, "adjacent", Random(0))


def test_the_code_writes_the_shipped_files_again(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "tasks" / "permutation"
    for path in write_shipped(tmp_path):
        assert path.read_text() == (shipped / path.name).read_text()


def test_the_shipped_tasks_cover_every_distance_in_both_styles() -> None:
    loaded = load("permutation")
    assert not loaded.problems
    tasks = [task for task in loaded.tasks if isinstance(task, PermutationTask)]
    for generators, items, largest in SHIPPED:
        for style in ("straight", "branching"):
            group = [task for task in tasks if (task.generators, task.style) == (generators, style)]
            found = {task.distance for task in group if len(task.start) == items}
            assert found == set(range(1, largest + 1))

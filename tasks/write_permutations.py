"""The files in `tasks/permutation`, written again byte for byte.

    python -m tasks.write_permutations tasks/permutation

The goal is always the sorted order, so that conditional swaps (`if a > b: a, b = b, a`) need exactly as many
commands as plain ones: each start stands in both styles, and a comparison of styles is paired.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tasks.permutations import arrangement_at

SHIPPED = (
    # generators, items, largest distance; the largest there is for 5 items and for swaps
    ("adjacent", 5, 10),
    ("adjacent", 8, 20),
    ("adjacent", 12, 20),
    ("swaps", 5, 4),
    ("swaps", 8, 7),
    ("swaps", 12, 11),
)
STARTS = 3
"""Different starts for each distance, fewer where there are not so many."""


def rows(generators: str, items: int, largest: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """The rows of one shipped file: for each distance a few starts, each in both styles."""
    for distance in range(1, largest + 1):
        rng = Random(f"{seed}:{generators}:{items}:{distance}")
        draws = [arrangement_at(distance, items, generators, rng) for _ in range(20 * STARTS)]
        for number, start in enumerate(list(dict.fromkeys(draws))[:STARTS]):
            for style in ("straight", "branching"):
                yield {
                    "kind": "permutation",
                    "id": f"{generators}-n{items}-d{distance:02}-{number}-{style}",
                    "start": start,
                    "goal": tuple(range(items)),
                    "generators": generators,
                    "distance": distance,
                    "style": style,
                }


def write_shipped(folder: Path) -> list[Path]:
    """The files written, one for each entry of SHIPPED."""
    written = []
    for generators, items, largest in SHIPPED:
        path = folder / f"{generators}_{items}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows(generators, items, largest)))
        written.append(path)
    return written


if __name__ == "__main__":
    for file in write_shipped(Path(sys.argv[1])):
        print(file)

"""Writes the files of `tasks/permutation`, byte for byte as they are in the repository.

    python -m tasks.write_permutations tasks/permutation

The goal is always the sorted order, so conditional swaps (`if a > b: a, b = b, a`) need exactly as many commands as
plain ones. Each start is in both styles, so a comparison of the styles is paired.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tasks.output.atomic_file import write_file
from tasks.output.terminal_text import print_line
from tasks.permutations import arrangement_at

SHIPPED = (
    # generators, items, largest distance; the largest possible for 5 items and for swaps
    ("adjacent", 5, 10),
    ("adjacent", 8, 20),
    ("adjacent", 12, 20),
    ("swaps", 5, 4),
    ("swaps", 8, 7),
    ("swaps", 12, 11),
)
STARTS = 3
"""Largest number of different starts for each distance."""


def rows(generators: str, items: int, largest: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """The rows of one file: for each distance up to STARTS starts, each in both styles."""
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
    """Writes one file for each entry of SHIPPED, and returns their paths."""
    written = []
    for generators, items, largest in SHIPPED:
        path = folder / f"{generators}_{items}.jsonl"
        write_file(path, "".join(json.dumps(row) + "\n" for row in rows(generators, items, largest)))
        written.append(path)
    return written


if __name__ == "__main__":
    for file in write_shipped(Path(sys.argv[1])):
        print_line(str(file))

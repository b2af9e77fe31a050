"""Makes the development slice of a public benchmark from its downloaded file.

    python -m benchmarks.dev_slice cruxeval.jsonl --out cruxeval_dev.jsonl
    python -m benchmarks.dev_slice humanevalpack.jsonl --out humanevalfix_dev.jsonl

The ids of the slices stand in docs/results/dev_slices.md. The field `id` (CRUXEval) or `task_id` (HumanEvalPack) says
which list applies; the rows are written as they are, in the order of the list, and a row that is missing is refused.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tasks.output.atomic_file import write_file

PAGE = Path(__file__).parent.parent / "docs" / "results" / "dev_slices.md"
FIELDS = {"id": ("CRUXEval", "sample_"), "task_id": ("HumanEvalPack", "Python/")}
"""For each field that names a row: the section of the page, and what stands before the number of an id."""


class BadSlice(ValueError):
    """A file that is not the whole benchmark; the message says what is missing."""


def listed(section: str, page: str) -> list[int]:
    """The numbers in the list under a heading of the page."""
    found = re.search(rf"^## {re.escape(section)}\n.*?```\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    if found is None:
        raise BadSlice(f"{PAGE.name} has no list under the heading {section!r}.")
    return [int(number) for number in found[1].split()]


def sliced(rows: Sequence[Mapping[str, Any]], page: str) -> list[Mapping[str, Any]]:
    """The rows of the slice, in the order of the list."""
    field = next((each for each in FIELDS if rows and each in rows[0]), None)
    if field is None:
        raise BadSlice("No row has an `id` (CRUXEval) or a `task_id` (HumanEvalPack). Give the published file.")
    section, head = FIELDS[field]
    known = {str(row.get(field)): row for row in rows}
    wanted = [f"{head}{number}" for number in listed(section, page)]
    if missing := [each for each in wanted if each not in known]:
        raise BadSlice(f"{len(missing)} rows of the slice are missing, the first {missing[0]!r}. Give the whole file.")
    return [known[each] for each in wanted]


def main(arguments: Sequence[str] | None = None) -> int:
    """Read, choose, write."""
    assert __doc__ is not None
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("file", type=Path, help="the downloaded file, one JSON object a line")
    made.add_argument("--out", type=Path, required=True, help="where the slice goes")
    options = made.parse_args(arguments)
    try:
        rows = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = sliced(rows, PAGE.read_text(encoding="utf-8"))
        write_file(options.out, "".join(json.dumps(row) + "\n" for row in found))
    except (OSError, json.JSONDecodeError, UnicodeDecodeError, BadSlice) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{len(found)} rows in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

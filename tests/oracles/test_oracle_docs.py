"""The page on oracles is true: its code runs as written, and its own oracle fits in 20 lines."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "oracles.md"


def test_every_example_of_the_page_runs_as_written() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 9
    assert result.failed == 0


def test_an_oracle_of_ones_own_takes_20_lines() -> None:
    block = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    assert len(block.strip().splitlines()) <= 20

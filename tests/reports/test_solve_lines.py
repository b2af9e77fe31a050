"""The line of a task in a run over several: one word for what became of it, and the other patch where two pass."""

import pytest

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.reports.solve_report import episode_lines

DIFFERENCE = {"arguments": "12, 0", "result": "'21'", "other_result": "'12'", "other_patch": ["swap 6:15: 'a' -> 'b'"]}


@pytest.mark.parametrize(
    ("episode", "word", "below"),
    [
        (Episode("t", solved=True, right=None, patch=("p",)), "solved", ["p"]),
        (Episode("t", solved=True, right=True, patch=("p",), difference=DIFFERENCE), "right", ["p"]),
        (
            Episode("t", solved=True, right=None, patch=("p",), difference=DIFFERENCE),
            "ambiguous",
            ["p", "ambiguous: the tests also pass with swap 6:15: 'a' -> 'b'"],
        ),
        (Episode("t", solved=False, right=None), "open", []),
        (Episode("t", solved=False, right=None, problem="no such name"), "failed", ["no such name"]),
    ],
)
def test_a_task_has_one_word(episode: Episode, word: str, below: list[str]) -> None:
    first, *others = episode_lines(episode, 3, 7)
    assert first.split()[:3] == ["[3/7]", "t", word]
    assert [line.strip() for line in others] == below

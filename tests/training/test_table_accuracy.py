"""The questions by which a table is measured: held out, so many of each kind, judged without workings."""

import pytest

from benchmarks.table_accuracy import KindAccuracy, measured, questions, without_workings
from cwm_agent.engine.decoding.continuous_batching import Completion, Prompt
from cwm_agent.training.patterns.pattern import pattern_family


class _Parrot:
    """An engine that gives the right answers without workings to every question but one."""

    def __init__(self, answers: dict[bytes, bytes], wrong: bytes) -> None:
        self._answers, self._wrong = answers, wrong

    def complete(self, prompts: list[Prompt], *, max_tokens: int) -> list[Completion]:
        given = [b"v0=?" if each.text == self._wrong else self._answers[each.text] for each in prompts]
        return [Completion(text, 0.0, min(len(text), max_tokens), finished=True) for text in given]


def test_there_are_so_many_questions_of_each_kind_and_the_same_again() -> None:
    found = questions("reckoned", each=2, seed=0)
    assert set(found) == {pattern.kind for pattern in pattern_family("reckoned")}
    assert {len(examples) for examples in found.values()} == {2}
    assert questions("reckoned", each=2, seed=0) == found
    assert not [each for examples in found.values() for each in examples if each.answer.startswith(b"!")]


@pytest.mark.parametrize(("answer", "read"), [(b"~3|5\nv0=4", b"v0=4"), (b"v0=4", b"v0=4"), (b"~", b"")])
def test_workings_are_not_read(answer: bytes, read: bytes) -> None:
    assert without_workings(answer) == read


def test_right_answers_are_counted_by_kind() -> None:
    asked = {"halves.tens": questions("reckoned", each=4, seed=0)["halves.tens"]}
    answers = {each.query: without_workings(each.answer) for each in asked["halves.tens"]}
    engine = _Parrot(answers, asked["halves.tens"][0].query)
    [row] = measured(engine, asked)  # type: ignore[arg-type]
    assert isinstance(row, KindAccuracy)
    assert (row.asked, row.right) == (4, 3)

"""Two sets of weights beside one another: who is right where, and how likely so uneven a split is by chance."""

import pytest

from benchmarks.weights_compared import WeightsComparison, compared
from cwm_agent.engine.decoding.continuous_batching import Completion, Prompt
from cwm_agent.training.example import Example

QUESTIONS = [Example(b"", b"v0 = %d" % number, b"~1|2\nv0=%d" % number, "copy") for number in range(5)]


class _Knows:
    """An engine that answers some questions rightly, without workings, and all others wrongly."""

    def __init__(self, *known: int) -> None:
        self._known = {QUESTIONS[number].query for number in known}

    def complete(self, prompts: list[Prompt], *, max_tokens: int) -> list[Completion]:
        texts = [b"v0=" + each.text[5:] if each.text in self._known else b"v0=?" for each in prompts]
        return [Completion(text, 0.0, min(len(text), max_tokens), finished=True) for text in texts]


def test_answers_are_compared_question_by_question() -> None:
    found = compared(_Knows(0, 1, 2), _Knows(1, 2, 3, 4), QUESTIONS)  # type: ignore[arg-type]
    assert found == WeightsComparison(asked=5, right_before=3, right_after=4, mended=2, broken=1)


@pytest.mark.parametrize(
    ("mended", "broken", "p"),
    [(0, 0, 1.0), (3, 3, 1.0), (1, 0, 1.0), (5, 0, 2 / 32), (8, 1, 2 * 10 / 512), (1, 8, 2 * 10 / 512)],
)
def test_p_is_that_of_the_exact_sign_test(mended: int, broken: int, p: float) -> None:
    assert WeightsComparison(10, 5, 5, mended, broken).p == pytest.approx(p)

"""Claims about asking the model."""

from itertools import islice

import pytest
import torch
from rough_networks import rough_model

from cwm_agent.engine.continuous_batching import Prompt
from cwm_agent.engine.engine import ON_ACCELERATOR, Engine, Sizes
from cwm_agent.training.exactness import judge
from cwm_agent.training.example import Example
from cwm_agent.training.steps.copy_task import additions, copies

EXAMPLES = [*islice(copies(1), 12), *islice(additions(1), 12)]
QUERIES = [Prompt(example.query, example.context) for example in EXAMPLES]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(rough_model(), precision="fp32")


def test_an_answer_is_what_the_network_ranks_first_at_every_token(engine: Engine) -> None:
    """Cached decoding equals greedy decoding by full forward passes, with and without context."""
    answers = engine.answer(QUERIES, limit=12)
    said = [
        Example(query.context, query.text, answer.text, "k") for query, answer in zip(QUERIES, answers, strict=True)
    ]
    network = rough_model().network
    for verdict in judge(network, said, length=128, batch=8, dtype=torch.float32):
        # A random network seldom ends by itself, so the END behind the last byte is not asked for.
        assert verdict.said[: len(verdict.example.answer)] == verdict.example.answer


def test_an_answer_does_not_depend_on_the_batch(engine: Engine) -> None:
    """Alone, together, in small batches and in small parts, every query gets the same answer."""
    together = engine.answer(QUERIES, limit=12)
    alone = [engine.answer([query], limit=12)[0] for query in QUERIES]
    sizes = Sizes(rows=5, read_at_once=64, remembered=400, guessed=3)
    small = Engine(rough_model(), precision="fp32", sizes=sizes).answer(QUERIES, limit=12)
    large = Engine(rough_model(), precision="fp32", sizes=ON_ACCELERATOR).answer(QUERIES, limit=12)
    assert [a.text for a in together] == [a.text for a in alone] == [a.text for a in small]
    assert [a.text for a in together] == [a.text for a in large]
    assert [a.logprob for a in alone] == pytest.approx([a.logprob for a in together], abs=1e-3)


def test_rows_that_end_early_leave_the_others_as_they_were() -> None:
    """Stopping at a common byte gives prefixes of the unstopped answers, of many lengths."""
    engine = Engine(rough_model(3), precision="fp32")
    whole = engine.answer(QUERIES, limit=24)
    stop = max(range(256), key=lambda byte: sum(byte in answer.text[1:] for answer in whole))
    cut = engine.answer(QUERIES, limit=24, stop=stop)
    assert len({answer.tokens for answer in cut}) > 1
    for long, short in zip(whole, cut, strict=True):
        assert long.text.startswith(short.text)
        assert short.finished == (short.text[-1:] == bytes([stop]))


def test_what_was_begun_is_gone_on_from(engine: Engine) -> None:
    """Given the first half of its own answer, the model says the second half."""
    for query, whole in zip(QUERIES, engine.answer(QUERIES, limit=12), strict=True):
        rest = engine.answer([Prompt(query.text, query.context, whole.text[:6])], limit=6)[0]
        assert whole.text[:6] + rest.text == whole.text


def test_scores_are_the_chances_of_the_words_said(engine: Engine) -> None:
    """Teacher-forced log-probabilities equal those of decoding, END apart."""
    for query, answer in zip(QUERIES, engine.answer(QUERIES, limit=8), strict=True):
        if len(answer.text) < answer.tokens:
            continue  # it said a mark, which no given answer can hold
        scored = engine.score([query], [answer.text])[0]
        begun = engine.score([Prompt(query.text, query.context, answer.text)], [b""])[0]
        assert scored.logprob - begun.logprob == pytest.approx(answer.logprob, abs=1e-3)
        assert scored.first_choice == begun.first_choice


def test_scores_come_in_order_and_as_they_do_alone(engine: Engine) -> None:
    """A batch of scores equals single scores, equal queries with different answers included."""
    begun = Prompt(QUERIES[0].text, QUERIES[0].context, b"x")
    queries = [*QUERIES, QUERIES[0], begun]
    answers = [*(example.answer for example in EXAMPLES), b"xy", b"y"]
    alone = [engine.score([query], [answer])[0].logprob for query, answer in zip(queries, answers, strict=True)]
    assert [score.logprob for score in engine.score(queries, answers)] == pytest.approx(alone, abs=1e-3)


def test_low_precision_is_close() -> None:
    """bf16 scores are within a few percent of fp32 ones."""
    answers = [example.answer for example in EXAMPLES]
    exact = Engine(rough_model(), precision="fp32").score(QUERIES, answers)
    rough = Engine(rough_model(), precision="bf16").score(QUERIES, answers)
    assert [score.logprob for score in rough] == pytest.approx([score.logprob for score in exact], rel=0.05)


def test_no_query_and_bad_limits(engine: Engine) -> None:
    """Nothing asked, nothing said; a limit below one is refused."""
    assert engine.answer([]) == []
    assert engine.score([], []) == []
    with pytest.raises(ValueError, match="limit of at least one"):
        engine.answer(QUERIES, limit=0)
    with pytest.raises(ValueError, match="sizes of at least one"):
        Sizes(rows=0, read_at_once=64, remembered=400, guessed=3)


def test_questions_asked_at_any_time_get_the_answers_they_get_together() -> None:
    """Some are asked before the first round and the rest one by one as others end; one is asked twice."""
    expected = [answer.text for answer in Engine(rough_model(), precision="fp32").answer(QUERIES, limit=12)]
    sizes = Sizes(rows=7, read_at_once=64, remembered=1_000, guessed=20)
    answering = Engine(rough_model(), precision="fp32", sizes=sizes).answering(limit=12)
    waiting = list(enumerate(QUERIES))
    for number, query in waiting[:9]:
        answering.ask(number, query)
    answering.ask("again", QUERIES[0])
    del waiting[:9]
    found = {}
    while len(answering):
        ended = answering.advance()
        assert ended
        found.update(ended)
        for number, query in waiting[:1]:
            answering.ask(number, query)
            del waiting[0]
    assert found.pop("again").text == expected[0]
    assert [found[number].text for number in range(len(QUERIES))] == expected
    assert answering.advance() == []


def test_a_long_question_does_not_make_room_for_as_many_long_ones() -> None:
    """Rows times columns stay near what may be remembered, whichever lengths come in whichever order."""
    sizes = Sizes(rows=64, read_at_once=64, remembered=2_000, guessed=20)
    answering = Engine(rough_model(), precision="fp32", sizes=sizes).answering(limit=4)
    texts = [*[b"a%d" % number for number in range(40)], b"long " * 60, *[b"b%d" % number for number in range(40)]]
    for number, text in enumerate([*texts, *texts[::-1]]):
        answering.ask(number, Prompt(text))
    while len(answering):
        answering.advance()
        kept = answering.rounds._memory.kept
        assert kept.shape[1] * kept.shape[2] <= 2.5 * sizes.remembered

"""Completions and scores of the engine."""

from itertools import islice

import pytest
import torch
from random_networks import random_model

from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.engine_sizes import ON_ACCELERATOR, EngineSizes
from cwm_agent.training.exactness import judge
from cwm_agent.training.example import Example
from cwm_agent.training.steps.copy_task import additions, copies

EXAMPLES = [*islice(copies(1), 12), *islice(additions(1), 12)]
PROMPTS = [Prompt(example.query, example.context) for example in EXAMPLES]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(random_model(), precision="fp32")


def test_a_completion_is_the_first_choice_of_the_network_at_every_token(engine: Engine) -> None:
    """Cached decoding equals greedy decoding by full forward passes, with and without context."""
    completions = engine.complete(PROMPTS, max_tokens=12)
    examples = [
        Example(prompt.context, prompt.text, completion.text, "k")
        for prompt, completion in zip(PROMPTS, completions, strict=True)
    ]
    network = random_model().network
    for verdict in judge(network, examples, length=128, batch=8, dtype=torch.float32):
        # A random network seldom gives END, so the END behind the last byte is not compared.
        assert verdict.decoded[: len(verdict.example.answer)] == verdict.example.answer


def test_a_completion_does_not_depend_on_the_batch(engine: Engine) -> None:
    """Alone, together, in small batches and in small parts, every prompt gets the same completion."""
    together = engine.complete(PROMPTS, max_tokens=12)
    alone = [engine.complete([prompt], max_tokens=12)[0] for prompt in PROMPTS]
    sizes = EngineSizes(rows=5, step_tokens=64, kv_columns=400, pass_tokens=3)
    small = Engine(random_model(), precision="fp32", sizes=sizes).complete(PROMPTS, max_tokens=12)
    large = Engine(random_model(), precision="fp32", sizes=ON_ACCELERATOR).complete(PROMPTS, max_tokens=12)
    assert [a.text for a in together] == [a.text for a in alone] == [a.text for a in small]
    assert [a.text for a in together] == [a.text for a in large]
    assert [a.logprob for a in alone] == pytest.approx([a.logprob for a in together], abs=1e-3)


def test_rows_that_end_early_leave_the_others_as_they_were() -> None:
    """Stopping at a common byte gives prefixes of the completions without a stop, of many lengths."""
    engine = Engine(random_model(3), precision="fp32")
    whole = engine.complete(PROMPTS, max_tokens=24)
    stop = max(range(256), key=lambda byte: sum(byte in each.text[1:] for each in whole))
    cut = engine.complete(PROMPTS, max_tokens=24, stop=stop)
    assert len({each.tokens for each in cut}) > 1
    for long, short in zip(whole, cut, strict=True):
        assert long.text.startswith(short.text)
        assert short.finished == (short.text[-1:] == bytes([stop]))


def test_a_completion_prefix_is_continued(engine: Engine) -> None:
    """Given the first half of its own completion, the model gives the second half."""
    for prompt, whole in zip(PROMPTS, engine.complete(PROMPTS, max_tokens=12), strict=True):
        rest = engine.complete([Prompt(prompt.text, prompt.context, whole.text[:6])], max_tokens=6)[0]
        assert whole.text[:6] + rest.text == whole.text


def test_scores_equal_the_log_probabilities_of_decoding(engine: Engine) -> None:
    """Teacher-forced log-probabilities equal those of decoding, apart from END."""
    for prompt, completion in zip(PROMPTS, engine.complete(PROMPTS, max_tokens=8), strict=True):
        if len(completion.text) < completion.tokens:
            continue  # it contains a special token, which no given text can hold
        scored = engine.score([prompt], [completion.text])[0]
        rest = engine.score([Prompt(prompt.text, prompt.context, completion.text)], [b""])[0]
        assert scored.logprob - rest.logprob == pytest.approx(completion.logprob, abs=1e-3)
        assert scored.first_choice == rest.first_choice


def test_scores_come_in_order_and_as_they_do_alone(engine: Engine) -> None:
    """A batch of scores equals single scores, also for equal prompts with different completions."""
    prefixed = Prompt(PROMPTS[0].text, PROMPTS[0].context, b"x")
    prompts = [*PROMPTS, PROMPTS[0], prefixed]
    answers = [*(example.answer for example in EXAMPLES), b"xy", b"y"]
    alone = [engine.score([prompt], [answer])[0].logprob for prompt, answer in zip(prompts, answers, strict=True)]
    assert [score.logprob for score in engine.score(prompts, answers)] == pytest.approx(alone, abs=1e-3)


def test_low_precision_is_close() -> None:
    """bf16 scores are within a few percent of fp32 ones."""
    answers = [example.answer for example in EXAMPLES]
    exact = Engine(random_model(), precision="fp32").score(PROMPTS, answers)
    rough = Engine(random_model(), precision="bf16").score(PROMPTS, answers)
    assert [score.logprob for score in rough] == pytest.approx([score.logprob for score in exact], rel=0.05)


def test_no_prompts_and_bad_limits(engine: Engine) -> None:
    """No prompts give no completions; a limit or size below one is refused."""
    assert engine.complete([]) == []
    assert engine.score([], []) == []
    with pytest.raises(ValueError, match="max_tokens is 0"):
        engine.complete(PROMPTS, max_tokens=0)
    with pytest.raises(ValueError, match="sizes of at least one"):
        EngineSizes(rows=0, step_tokens=64, kv_columns=400, pass_tokens=3)


def test_requests_that_join_at_any_time_get_the_same_completions() -> None:
    """Some join before the first step and the others one by one as requests end; one prompt is added twice."""
    expected = [each.text for each in Engine(random_model(), precision="fp32").complete(PROMPTS, max_tokens=12)]
    sizes = EngineSizes(rows=7, step_tokens=64, kv_columns=1_000, pass_tokens=20)
    batch = Engine(random_model(), precision="fp32", sizes=sizes).continuous_batch(max_tokens=12)
    waiting = list(enumerate(PROMPTS))
    for number, prompt in waiting[:9]:
        batch.add_request(number, prompt)
    batch.add_request("again", PROMPTS[0])
    del waiting[:9]
    found = {}
    while len(batch):
        ended = batch.next_completions()
        assert ended
        found.update(ended)
        for number, prompt in waiting[:1]:
            batch.add_request(number, prompt)
            del waiting[0]
    assert found.pop("again").text == expected[0]
    assert [found[number].text for number in range(len(PROMPTS))] == expected
    assert batch.next_completions() == []


def test_a_long_prompt_does_not_widen_the_rows_of_short_ones() -> None:
    """Rows times columns stay near the limit, for any lengths in any order."""
    sizes = EngineSizes(rows=64, step_tokens=64, kv_columns=2_000, pass_tokens=20)
    batch = Engine(random_model(), precision="fp32", sizes=sizes).continuous_batch(max_tokens=4)
    texts = [*[b"a%d" % number for number in range(40)], b"long " * 60, *[b"b%d" % number for number in range(40)]]
    for number, text in enumerate([*texts, *texts[::-1]]):
        batch.add_request(number, Prompt(text))
    while len(batch):
        batch.next_completions()
        kept = batch.scheduler._kv_cache.keys_values
        assert kept.shape[1] * kept.shape[2] <= 2.5 * sizes.kv_columns


def test_other_weights_answer_as_a_new_engine_with_them_does() -> None:
    """Nothing of the old weights is left in the prefix cache or in the drafts."""
    prompts = [Prompt(b"v0 = v1 + v2\nv1=3 v2=4"), Prompt(b"v0 = v1 + v2\nv1=3 v2=5")]
    engine = Engine(random_model(0), precision="fp32")
    before = engine.complete(prompts, max_tokens=12)
    engine.replace_weights(random_model(1).network, "other")
    expected = Engine(random_model(1), precision="fp32").complete(prompts, max_tokens=12)
    assert engine.complete(prompts, max_tokens=12) == expected != before
    assert engine.fingerprint == "other"


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="is another"):
        Engine(random_model(0), precision="fp32").replace_weights(random_model(1, "3").network, "other")

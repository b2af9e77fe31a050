"""The embedded history oracle: a network that knows one program's runs rolls them out; guides hold, caches change
nothing."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pytest
import torch
from history_worlds import recorded

from cwm_agent.engine.network import Network
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.engine.weights import TrainedModel
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.oracles.backends.embedded_history import EmbeddedHistory
from cwm_agent.oracles.history_protocol import Action, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.protocol import BackendFailed
from cwm_agent.training.objective import losses
from cwm_agent.training.packing import pack
from cwm_agent.training.steps.history_accuracy import first_errors
from cwm_agent.training.steps.history_examples import history_example
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History, HistoryFrame

SOURCE = "def f(a, b):\n    if a:\n        a = b\n    return a\n"
CALLS = ("1, 2", "0, 2")


def cases() -> list[tuple[Program, History]]:
    return [recorded(SOURCE, call) for call in CALLS]


@lru_cache(maxsize=1)
def learnt() -> TrainedModel:
    """A tiny network that has learnt the runs of one program by heart."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = Network(shape_of_size("tiny"))
    examples = [history_example(program, real, "") for program, real in cases()]
    rows = np.stack([pack([example], 256, BYTES) for example in examples if example is not None], axis=1)
    fields = torch.from_numpy(rows)
    optimiser = torch.optim.AdamW(network.parameters(), lr=6e-3)
    for _ in range(300):
        found = losses(network, fields, query_weight=0.0, kernel="sdpa", dtype=torch.float32)
        if found.exact == 1.0 and found.answer < 0.02:
            break
        optimiser.zero_grad()
        found.weighted.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert found.exact == 1.0, "the network did not learn two short runs by heart"
    return TrainedModel(network, BYTES, {}, "learnt")


def rolled(oracle: EmbeddedHistory, guide: str) -> list[HistoryRollout]:
    starts = [HistoryStart(program, real.frames[0], real) for program, real in cases()]
    return imagine_histories(starts, oracle, HistorySettings(parse_guide(guide), steps=60))


@pytest.mark.parametrize("guide", ["free", "cfg", "forced", "free+anchored:2", "forced+anchored:3"])
def test_what_was_learnt_is_rolled_out_under_every_guide(guide: str) -> None:
    for found, (_, real) in zip(rolled(EmbeddedHistory(learnt()), guide), cases(), strict=True):
        assert found.frames == real.frames, found.reason
        assert found.outcome == real.outcome
        assert found.action_logprob is not None
        assert found.action_logprob <= 0.0


def test_one_pass_over_the_real_run_says_the_same_as_rolling_out() -> None:
    network = learnt().network
    assert [first_errors(network, *case, torch.float32)[:2] for case in cases()] == [(None, None)] * len(CALLS)


def test_a_batch_says_what_single_queries_say_and_kept_rows_what_fresh_ones_say() -> None:
    batch = rolled(EmbeddedHistory(learnt()), "free")
    single = []
    for program, real in cases():
        single += imagine_histories([HistoryStart(program, real.frames[0], real)], EmbeddedHistory(learnt()))
    assert [each.frames for each in batch] == [each.frames for each in single]
    program, real = cases()[0]
    oracle = EmbeddedHistory(learnt())
    for index in range(1, len(real.frames)):
        query = HistoryQuery(program, real.frames[:index])
        assert oracle.continue_([query])[0].said == real.frames[index]


def test_a_rollout_that_is_continued_is_not_read_again() -> None:
    program, real = cases()[0]
    oracle = EmbeddedHistory(learnt())
    first = oracle.continue_([HistoryQuery(program, real.frames[:1], rollout=0)])[0]
    second = oracle.continue_([HistoryQuery(program, real.frames[:2], rollout=0)])[0]
    again = oracle.continue_([HistoryQuery(program, real.frames[:2])])[0]
    assert first.tokens > 100 > second.tokens
    assert (again.said, again.tokens > 100) == (second.said, True)


def test_a_rollout_whose_past_was_changed_is_read_anew() -> None:
    program, real = cases()[0]
    _, other = cases()[1]
    oracle = EmbeddedHistory(learnt())
    oracle.continue_([HistoryQuery(program, real.frames[:1], rollout=0)])
    assert oracle.continue_([HistoryQuery(program, other.frames[:2], rollout=0)])[0].said == other.frames[2]


def test_a_given_action_is_said_whatever_the_model_likes_and_its_unlikeliness_is_read() -> None:
    program, real = cases()[0]
    wrong = frozenset({Action("line", "    return a")})
    oracle = EmbeddedHistory(learnt())
    free = oracle.continue_([HistoryQuery(program, real.frames[:1])])[0]
    given = oracle.continue_([HistoryQuery(program, real.frames[:1], wrong)])[0]
    assert isinstance(given.said, HistoryFrame)
    assert given.said.action == "    return a"
    assert given.action_logprob is not None
    assert free.action_logprob is not None
    assert given.action_logprob < free.action_logprob - 1.0


def test_a_choice_is_the_likeliest_among_the_allowed() -> None:
    program, real = cases()[0]
    allowed = frozenset({Action("line", "    return a"), Action("line", real.frames[1].action)})
    said = EmbeddedHistory(learnt()).continue_([HistoryQuery(program, real.frames[:1], allowed)])[0].said
    assert said == real.frames[1]


def test_a_network_that_knows_nothing_is_malformed_and_never_an_exception() -> None:
    torch.manual_seed(3)
    network = Network(shape_of_size("tiny"))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    found = rolled(EmbeddedHistory(TrainedModel(network, BYTES, {}, "rough")), "free")
    assert {each.end for each in found} <= {"malformed", "truncated"}


def test_a_frame_that_outgrows_the_limit_is_malformed() -> None:
    program, real = cases()[0]
    said = EmbeddedHistory(learnt(), longest_frame=3).continue_([HistoryQuery(program, real.frames[:1])])[0].said
    assert said == Malformed(said.text, "a frame that does not end")
    assert len(said.text) == 3


def test_a_history_that_outgrows_the_limit_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    from cwm_agent.oracles.backends import embedded_history

    monkeypatch.setattr(embedded_history, "LONGEST_HISTORY", 50)
    program, real = cases()[0]
    said = EmbeddedHistory(learnt()).continue_([HistoryQuery(program, real.frames[:1])])[0].said
    assert isinstance(said, Malformed)
    assert "bytes" in said.reason


def test_two_queries_of_one_rollout_are_refused() -> None:
    program, real = cases()[0]
    query = HistoryQuery(program, real.frames[:1], rollout=4)

    def ask(queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return EmbeddedHistory(learnt()).continue_(queries)

    with pytest.raises(ValueError, match="same rollout"):
        ask([query, query])


def test_missing_weights_say_what_to_do(tmp_path: object) -> None:
    with pytest.raises(BackendFailed, match="Reinstall"):
        EmbeddedHistory.load(str(tmp_path))

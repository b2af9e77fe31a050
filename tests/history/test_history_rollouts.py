"""History rollouts on oracles of known quality: exact gives reality under every guide, noise shows where it should."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from history_worlds import TWINS, random_histories, recorded, replay, small
from markov_programs import PROGRAMS

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.imagination.history_rules import ruled
from cwm_agent.oracles.backends.replay import NoisyReplay
from cwm_agent.oracles.history_protocol import ENDED, Action, HistoryOracle, HistoryPrediction, HistoryQuery, Malformed
from cwm_agent.oracles.wrappers.noise import Rates
from cwm_agent.views.history.history_state import standing_after
from envs.execution.decompose.program import Program
from envs.execution.state.history_frames import History

SWAPS = "def f(a, b, c):\n    a, b = b, a\n    b, c = c, b\n    a, b = b, a\n    return a, b, c\n"


def rolled(
    program: Program, real: History, guide: str, oracle: HistoryOracle | None = None, **settings: int
) -> HistoryRollout:
    start = HistoryStart(program, real.frames[0], real)
    wanted = HistorySettings(parse_guide(guide), **settings)
    return imagine_histories([start], oracle or replay({program: real}), wanted)[0]


@pytest.mark.parametrize("guide", ["free", "cfg", "forced", "free+anchored:3", "forced+anchored:1"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_exact_oracle_gives_reality_on_plain_programs(name: str, guide: str) -> None:
    program, real = small(name)
    found = rolled(program, real, guide)
    assert (found.frames, found.outcome) == (real.frames, real.outcome), found.reason


@pytest.mark.parametrize("guide", ["grounded", "anchored:4", "cfg"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_exact_oracle_gives_reality_on_decomposed_programs(name: str, guide: str) -> None:
    program, real = small(name, "operations")
    found = rolled(program, real, guide)
    assert (found.frames, found.outcome) == (real.frames, real.outcome), found.reason


def test_many_rollouts_advance_together_and_end_apart() -> None:
    cases = [(program, real) for program, real in random_histories(20, seed=5) if real.outcome.ending != "truncated"]
    known = dict(cases)
    batches: list[int] = []

    class Counting:
        name = "counting"

        def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
            batches.append(len(queries))
            return replay(known).continue_(queries)

    starts = [HistoryStart(program, real.frames[0], real) for program, real in known.items()]
    found = imagine_histories(starts, Counting())
    assert [each.outcome for each in found] == [real.outcome for real in known.values()]
    assert batches[0] == len(starts)
    assert batches == sorted(batches, reverse=True)
    assert len(batches) <= max(len(real.frames) for real in known.values())


def test_a_branch_on_a_name_is_taken_by_rule_from_the_imagined_value() -> None:
    """A wrong value of the tested name takes the other branch, whatever the oracle would say."""
    program, real = recorded("def f(a):\n    if a > 1:\n        return 'big'\n    return 'small'\n", "3", "operations")
    index = next(i for i, frame in enumerate(real.frames) if dict(frame.locals).get("_1"))
    wrong = replace(real.frames[index], locals=(("a", "3"), ("_1", "False")))
    rule = ruled(program, standing_after([*real.frames[:index], wrong]))
    assert rule.by_rule
    assert Action("line", "    return 'small'") in rule.allowed
    assert Action("line", "        return 'big'") not in rule.allowed


def test_grounded_refuses_a_plain_program_and_says_what_to_do() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    with pytest.raises(ValueError, match="decomposed"):
        rolled(program, real, "grounded")


def test_a_guide_that_looks_at_reality_needs_it() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    with pytest.raises(ValueError, match="real run"):
        imagine_histories([HistoryStart(program, real.frames[0])], replay({}), HistorySettings(parse_guide("forced")))


def test_the_rule_leaves_a_loop_to_the_oracle() -> None:
    program, real = small("loop position", "operations")
    found = rolled(program, real, "grounded")
    loop = [mark for frame, mark in zip(found.frames, ("x", *found.marks), strict=False) if "for " in frame.action]
    assert "constrained" in loop


def test_forced_keeps_the_real_actions_under_action_noise_and_free_does_not() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    noisy = NoisyReplay(replay({program: real}), Rates(action=1.0), "iid")
    assert rolled(program, real, "forced", noisy).frames == real.frames
    free = rolled(program, real, "free", noisy)
    assert free.frames[1].action != real.frames[1].action


def test_cfg_leaves_action_noise_no_choice_on_a_straight_program() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    noisy = NoisyReplay(replay({program: real}), Rates(action=1.0), "iid")
    assert rolled(program, real, "cfg", noisy).frames == real.frames


def test_no_noise_is_the_identity_and_systematic_noise_repeats_itself() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    inner = replay({program: real})
    assert rolled(program, real, "free", NoisyReplay(inner, Rates(), "iid")).frames == real.frames
    noise = NoisyReplay(inner, Rates(action=0.3, state=0.5), "systematic", seed=4)
    first = rolled(program, real, "free", noise)
    assert first == rolled(program, real, "free", noise)
    assert first.frames != real.frames


def test_state_noise_comes_at_its_rate() -> None:
    cases = {p: h for p, h in random_histories(60, seed=9) if h.outcome.ending == "returned"}
    noisy = NoisyReplay(replay(cases), Rates(state=0.2), "iid", seed=1)
    shown = wrong = 0
    for program, real in cases.items():
        for index in range(1, len(real.frames)):
            frame = noisy.continue_([HistoryQuery(program, real.frames[:index])])[0].said
            values = len(real.frames[index].locals) + (real.frames[index].arg is not None)
            shown += values > 0
            wrong += frame != real.frames[index]
    assert 0.15 * shown < wrong < 0.25 * shown


class _Saying:
    """Says one thing to everything."""

    name = "saying"

    def __init__(self, said: HistoryPrediction) -> None:
        self._said = said

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        return [self._said for _ in queries]


def test_what_is_malformed_ends_the_rollout_with_its_reason() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    found = rolled(program, real, "free", _Saying(HistoryPrediction(Malformed("?", "nonsense"), tokens=3)))
    assert (found.end, found.reason, found.tokens, found.frames) == ("malformed", "nonsense", 3, real.frames[:1])


def test_an_end_with_nothing_raised_and_an_action_that_was_not_allowed_are_malformed() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    assert rolled(program, real, "free", _Saying(HistoryPrediction(ENDED))).end == "malformed"
    assert rolled(program, real, "cfg", _Saying(HistoryPrediction(real.frames[2]))).end == "malformed"


def test_steps_and_tokens_cut_a_rollout_off() -> None:
    program, real = recorded("def f(x):\n    while x:\n        x += 1\n", "1")
    looping = _Saying(HistoryPrediction(real.frames[1], tokens=10))
    assert rolled(program, real, "free", looping, steps=7).reason == "steps"
    cut = rolled(program, real, "free", looping, tokens=35)
    assert (cut.end, cut.reason, cut.tokens) == ("truncated", "tokens", 40)


def test_an_anchor_makes_the_frame_real_and_marks_it_given() -> None:
    program, real = recorded(SWAPS, "1, 2, 3")
    noisy = NoisyReplay(replay({program: real}), Rates(state=1.0), "iid")
    found = rolled(program, real, "free+anchored:2", noisy)
    assert [found.frames[i] == real.frames[i] for i in (1, 2, 3, 4)] == [False, True, False, True]
    assert found.marks[:3] == ("given", "imagined", "given")


def test_twins_are_carried_on_with_as_both() -> None:
    program, real = recorded(TWINS, "2")
    assert rolled(program, real, "cfg").outcome == real.outcome

"""Rollouts begin as places become free: the same rollouts whatever the width, and long ones hold up nobody."""

from collections.abc import Iterator

import pytest
from local_worlds import Counting, exact, small, traced
from markov_programs import PROGRAMS

from cwm_agent.imagination import active_rollout
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.rollout_loop import (
    Rollout,
    RolloutLoop,
    RolloutSettings,
    RolloutStart,
    imagine,
    imagine_each,
)
from cwm_agent.oracles.protocol import Prediction, Query

COUNTDOWN = "def f(n):\n    while n > 0:\n        n = n - 1\n    return n"


@pytest.mark.parametrize("width", [1, 3, 1_000])
def test_rollouts_do_not_depend_on_the_width(width: int) -> None:
    starts = [RolloutStart(program, real.frames[0]) for program, real in map(small, list(PROGRAMS)[:12])]
    found = dict(imagine_each(((start, RolloutSettings()) for start in starts), exact(), width=width))
    assert [found[number] for number in range(len(starts))] == imagine(starts, exact())


def test_no_more_than_the_width_are_asked_for_at_once_and_places_are_filled_at_once() -> None:
    """One countdown of 30 and many of 2: while the long one goes on, the short ones take turns beside it."""
    counting = Counting(exact())
    starts = [RolloutStart(*_first(n)) for n in (30, *[2] * 20)]
    ended = [number for number, _ in imagine_each(((start, RolloutSettings()) for start in starts), counting, width=3)]
    assert ended[-1] == 0
    assert max(len(batch) for batch in counting.batches) == 3
    assert len(counting.batches) < 75


def test_starts_are_taken_only_as_places_become_free() -> None:
    taken: list[int] = []

    def starts() -> Iterator[tuple[RolloutStart, RolloutSettings]]:
        for number in range(10):
            taken.append(number)
            yield RolloutStart(*_first(1)), RolloutSettings()

    rollouts = imagine_each(starts(), exact(), width=2)
    next(rollouts)
    assert len(taken) <= 4


def test_each_start_may_have_its_own_guide_and_limit() -> None:
    program, frame = _first(5)
    free = RolloutSettings(guide=parse_guide("free"))
    wanted = [
        (RolloutStart(program, frame), free),
        (RolloutStart(program, frame), RolloutSettings(steps=3)),
        (RolloutStart(program, frame, steps=2), free),
    ]
    ends = {number: (rollout.end, len(rollout.frames)) for number, rollout in imagine_each(wanted, exact())}
    assert ends[0][0] == "outcome"
    assert ends[1] == ("truncated", 4)
    assert ends[2] == ("truncated", 3)


def test_who_turns_out_dear_waits_until_the_cheap_ones_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three long countdowns come first and two are gone on with at a time: all short ones end before them."""
    monkeypatch.setattr(active_rollout, "STEPS_A_TOKEN", 4)
    imagining: RolloutLoop[int] = RolloutLoop(exact(), width=2)
    for number, n in enumerate([*[600] * 3, *[10] * 10]):
        imagining.begin(number, RolloutStart(*_first(n)), RolloutSettings())
    ended = [number for number, _ in _all(imagining)]
    assert ended == [*range(3, 13), 0, 1, 2]


def test_what_is_worth_more_is_gone_on_with_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(active_rollout, "STEPS_A_TOKEN", 4)
    imagining: RolloutLoop[int] = RolloutLoop(exact(), width=1)
    for number, worth in enumerate((0, 0, 2)):
        imagining.begin(number, RolloutStart(*_first(300)), RolloutSettings(), worth=worth)
    assert [number for number, _ in _all(imagining)] == [2, 0, 1]


class LastFirst(Counting):
    """A stream that answers the query which was asked last."""

    def __init__(self) -> None:
        super().__init__(exact())
        self.asked: list[tuple[object, Query]] = []
        self.advances = 0

    def stream(self) -> "LastFirst":
        return self

    def __len__(self) -> int:
        return len(self.asked)

    def ask(self, key: object, query: Query) -> None:
        self.asked.append((key, query))

    def advance(self) -> list[tuple[object, Prediction]]:
        self.advances += 1
        key, query = self.asked.pop()
        return [(key, self.imagine([query])[0])]


@pytest.mark.parametrize("worth", [0, 2])
def test_who_is_worth_something_has_the_oracle_asked_while_others_end(worth: int) -> None:
    """The countdown waits for an answer while four programs end by rules."""
    oracle = LastFirst()
    imagining: RolloutLoop[int] = RolloutLoop(oracle, width=4)
    imagining.begin(0, RolloutStart(*_first(9)), RolloutSettings(), worth=worth)
    imagining.begin(1, RolloutStart(*_first(9)), RolloutSettings())
    imagining.advance()
    asked = oracle.advances
    program, real = traced("def f(n):\n    return n", "1")
    for number in range(2, 6):
        imagining.begin(number, RolloutStart(program, real.frames[0]), RolloutSettings())
    ended = imagining.advance()
    assert ended
    assert oracle.advances == asked + (worth > 0)


def test_who_is_worth_something_is_asked_for_while_others_begin_and_end() -> None:
    """Programs that end by rules begin again and again: the countdown comes to its end beside them."""
    oracle = LastFirst()
    imagining: RolloutLoop[int] = RolloutLoop(oracle, width=8)
    imagining.begin(0, RolloutStart(*_first(2)), RolloutSettings(), worth=2)
    program, real = traced("def f(n):\n    return n", "1")
    ended: list[int] = []
    for number in range(1, 30):
        imagining.begin(number, RolloutStart(program, real.frames[0]), RolloutSettings())
        ended += [key for key, _ in imagining.advance()]
    assert 0 in ended


def test_a_rollout_that_is_not_kept_whole_ends_the_same() -> None:
    start = RolloutStart(*_first(5))
    imagining: RolloutLoop[int] = RolloutLoop(exact())
    imagining.begin(0, start, RolloutSettings(whole=False))
    [(_, last)], [whole] = _all(imagining), imagine([start], exact())
    assert (last.outcome, last.steps, last.frames) == (whole.outcome, len(whole.frames), whole.frames[-1:])


def _all(imagining: RolloutLoop[int]) -> list[tuple[int, Rollout]]:
    found: list[tuple[int, Rollout]] = []
    while len(imagining):
        found += imagining.advance()
    return found


def _first(n: int) -> tuple:  # type: ignore[type-arg]
    program, real = traced(COUNTDOWN, str(n))
    return program, real.frames[0]

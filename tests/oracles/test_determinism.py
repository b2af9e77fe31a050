"""Who draws afresh is never remembered; what cannot be asked censors a rollout and is no error of the oracle."""

from collections.abc import Sequence

import pytest
from local_worlds import exact, queries_of, traced

from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import Oracle, Prediction, Query, Unanswerable, is_deterministic
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.meter import MeteredOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from cwm_agent.verification.step_accuracy import Case, count_steps
from cwm_agent.verification.verifier import compare

ADD = "def f(a):\n    b = a + 1\n    c = b * 2\n    return c"
GENERATOR = "def f(xs):\n    g = (x for x in xs)\n    held = [g]\n    y = list(zip(*held))\n    return y"
HALF = Rates(state=0.5)


@pytest.mark.parametrize(
    ("oracle", "expected"),
    [
        (exact(), True),
        (NoisyOracle(exact(), HALF, "iid"), False),
        (NoisyOracle(exact(), HALF, "systematic"), True),
        (MeteredOracle(NoisyOracle(exact(), HALF, "iid")), False),
        (CachedOracle(NoisyOracle(exact(), HALF, "iid")), False),
        (NoisyOracle(NoisyOracle(exact(), HALF, "iid"), HALF, "systematic"), False),
    ],
)
def test_an_oracle_says_whether_it_draws_afresh_through_every_wrapper(oracle: Oracle, expected: bool) -> None:
    assert is_deterministic(oracle) is expected


def test_noise_that_errs_anew_stays_so_behind_a_memo() -> None:
    memo = CachedOracle(NoisyOracle(exact(), HALF, "iid", seed=1))
    query = queries_of(*traced(ADD, "1"))[0]
    said = {memo.imagine([query])[0].said for _ in range(40)}
    assert len(said) > 1
    assert (memo.asked, memo.hits, memo.cached([query])) == (40, 0, None)


def test_noise_spares_branches_which_compute_nothing() -> None:
    program, real = traced("def f(a):\n    if a:\n        return 1\n    return 2", "1")
    branch = next(frame for frame in real.frames if program.lines[frame.line - 1].strip().startswith("if"))
    query = Query(program, branch, None, "program")
    assert NoisyOracle(exact(), Rates(state=1.0), "iid").imagine([query]) == exact().imagine([query])


def test_what_the_page_does_not_say_censors_an_exact_rollout() -> None:
    program, real = traced(GENERATOR, "[1]")
    rollout = imagine([RolloutStart(program, real.frames[0])], exact())[0]
    assert rollout.end == "unsupported"
    found = compare(program, rollout, real)
    assert found.censored
    assert found.divergence is None


class Unable:
    """Can be asked nothing."""

    name = "unable"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [Prediction(Unanswerable("too long")) for _ in queries]


def test_a_step_that_cannot_be_asked_counts_as_unsupported_and_wrong() -> None:
    program, real = traced(ADD, "1")
    counts = count_steps([Case("a#1", program, real)], Unable(), "local")
    assert counts.types() == {"unsupported": 0.0}
    assert counts.share() == 0.0


def test_unanswerable_is_remembered_as_it_was_said() -> None:
    memo = CachedOracle(Unable())
    queries = queries_of(*traced(ADD, "1"))[:1]
    assert memo.imagine(queries) == memo.imagine(queries) == [Prediction(Unanswerable("too long"))]
    assert memo.hits == 1


def test_a_start_of_its_own_limit_ends_there() -> None:
    program, real = traced(ADD, "1")
    short, whole = imagine(
        [RolloutStart(program, real.frames[0], steps=2), RolloutStart(program, real.frames[0])],
        exact(),
        RolloutSettings(),
    )
    assert (short.end, short.reason, whole.end) == ("truncated", "steps", "outcome")

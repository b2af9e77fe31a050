"""The guide `unsure`: a real look where the oracle itself was unsure, beside looks at fixed intervals."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from cwm_agent.imagination.guides import BadGuide, Guide, parse_guide
from cwm_agent.imagination.rollout_loop import Rollout
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import Malformed, Oracle, Prediction, Query
from cwm_agent.studies.experiments.swap_programs import swap_programs
from cwm_agent.studies.workbench import Workbench

NOISE = "noisy:systematic:state=0.2,seed=3"


class KnowsItsErrors:
    """An oracle with errors that gives a wrong answer a probability of 0.14."""

    name = "knows-its-errors"

    def __init__(self, wrong: Oracle, exact: Oracle) -> None:
        self._wrong, self._exact = wrong, exact

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        pairs = zip(self._wrong.imagine(queries), self._exact.imagine(queries), strict=True)
        return [replace(said, logprob=0.0 if said.said == right.said else -2.0) for said, right in pairs]


def rollouts(guide: str, *, exact: bool = False) -> list[tuple[Rollout, int]]:
    """Rollouts of four straight programs of 16 swaps, each with the number of frames that equal the real ones."""
    with Workbench() as bench:
        runs = [each.run(bench, "local", "operations") for each in swap_programs("straight", 5, 16, count=4, seed=0)]
        truth = bench.uncached_oracle("exact")
        oracle = truth if exact else KnowsItsErrors(bench.uncached_oracle(NOISE), truth)
        found = adapter_of("local").imagine_runs(runs, oracle, parse_guide(guide), 10)
    same = [sum(one == two for one, two in zip(each.frames, real.frames, strict=False))
            for each, (_, real) in zip(found, runs, strict=True)]  # fmt: skip
    return list(zip(found, same, strict=True))


def looks(rollout: Rollout) -> int:
    return rollout.marks[1:].count("given")


def test_looks_where_the_oracle_is_unsure_keep_a_rollout_on_the_real_run() -> None:
    for rollout, same in rollouts("unsure:0.5"):
        assert same == len(rollout.frames)
        assert 0 < looks(rollout) < len(rollout.frames) // 2


def test_as_many_looks_at_fixed_intervals_do_not() -> None:
    spent = max(looks(rollout) for rollout, _ in rollouts("unsure:0.5"))
    every = len(rollouts("grounded")[0][0].frames) // (spent + 1)
    fixed = rollouts(f"anchored:{every}")
    assert all(looks(rollout) >= spent for rollout, _ in fixed)
    assert any(same < len(rollout.frames) for rollout, same in fixed)


def test_a_sure_oracle_is_never_looked_after() -> None:
    assert all(not looks(rollout) and same == len(rollout.frames) for rollout, same in rollouts("unsure:1", exact=True))


class SaysNothing:
    """An oracle whose every answer is malformed."""

    name = "says-nothing"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [Prediction(Malformed("?", "no frame"), None, 1) for _ in queries]


@pytest.mark.parametrize(("guide", "end"), [("unsure:0.5", "outcome"), ("anchored:4", "malformed")])
def test_a_malformed_answer_is_unsure_and_is_replaced_by_the_real_frame(guide: str, end: str) -> None:
    with Workbench() as bench:
        runs = [each.run(bench, "local", "operations") for each in swap_programs("branching", 5, 4, count=2, seed=0)]
        found = adapter_of("local").imagine_runs(runs, SaysNothing(), parse_guide(guide), 10)
    assert [rollout.end for rollout in found] == [end] * 2
    if end == "outcome":
        assert [rollout.frames for rollout in found] == [real.frames for _, real in runs]
        assert all(0 < looks(rollout) < len(rollout.frames) for rollout in found)


def test_its_name_is_read_and_written() -> None:
    assert parse_guide("unsure:0.9") == Guide("grounded", below=0.9)
    assert parse_guide("free+unsure:0.5").name == "free+unsure:0.5"
    assert Guide(below=0.9).needs_reality


@pytest.mark.parametrize("text", ["unsure", "unsure:x", "unsure:0", "unsure:1.5", "sure:0.5"])
def test_what_is_no_guide_is_refused(text: str) -> None:
    with pytest.raises(BadGuide):
        parse_guide(text)

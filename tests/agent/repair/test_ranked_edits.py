"""Edits ranked in stages: each program is taken once, the policy is asked late and seldom, and how many are taken at once
changes nothing but where a stage begins."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from cwm_agent.agent.repair.edit_ranking import LIKELY_COMPLETE, EditPriors
from cwm_agent.agent.repair.proposals.proposal import Proposal
from cwm_agent.agent.repair.proposals.ranked_edits import STAGES, RankedEdits
from cwm_agent.agent.repair.proposals.unlikely_edits import UnlikelyEdits
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint

SOURCE = """def total(prices, limit):
    found = 0
    for price in prices:
        if price > limit:
            found = found + price
    return found
"""
CORE = RepairCore(SOURCE, "total", ())
FIRST, LAST = STAGES[0], STAGES[-1]
COUNTS = st.lists(st.integers(-2, 300), max_size=12)


@dataclass
class StagedPolicy:
    """Estimates all edits alike but the last ones, which it finds right once it is asked for more."""

    asked: list[int | None] = field(default_factory=list)

    def logprobs(self, source: str, edits: Sequence[Edit], *, complete: int | None = None) -> list[float] | None:
        self.asked.append(complete)
        rising = complete is None or complete > FIRST
        return [-1.0 if rising and place > len(edits) - 9 else -9.0 for place in range(len(edits))]

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        return []


def taken(ranked: RankedEdits, counts: Sequence[int]) -> list[Proposal]:
    return [proposal for count in counts for proposal in ranked.take(count)]


def programs(proposals: Sequence[Proposal]) -> list[bytes | None]:
    return [fingerprint(proposal.edit.apply(SOURCE)) for proposal in proposals]


@settings(max_examples=10, deadline=None)
@given(COUNTS)
def test_every_program_is_taken_once_whatever_the_stages(counts: list[int]) -> None:
    ranked = RankedEdits(CORE, {}, StagedPolicy())
    found = programs(taken(ranked, [*counts, 10**6]))
    assert len(set(found)) == len(found)
    assert set(found) == set(programs(RankedEdits(CORE, {}).take(10**6)))
    assert ranked.spent
    assert ranked.take(5) == []


@settings(max_examples=10, deadline=None)
@given(COUNTS)
def test_a_stage_begins_before_half_of_the_edits_scored_are_taken(counts: list[int]) -> None:
    policy = StagedPolicy()
    ranked, wanted = RankedEdits(CORE, {}, policy), 0
    for count in counts:
        ranked.take(count)
        wanted += max(0, count)
        last = policy.asked[-1] if policy.asked else 0
        assert last == (LAST if 2 * wanted > FIRST else FIRST if wanted else 0)
    assert len(policy.asked) <= len(STAGES)


def test_no_taken_edit_fails_to_compile_or_leaves_the_program_as_it_is() -> None:
    found = programs(RankedEdits(CORE, {}).take(10**6))
    assert None not in found
    assert fingerprint(SOURCE) not in found


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8))
def test_how_many_are_taken_at_once_does_not_change_the_order_within_a_stage(counts: list[int]) -> None:
    counts = [count for at, count in enumerate(counts) if sum(counts[: at + 1]) <= FIRST // 2]
    together = RankedEdits(CORE, {}, StagedPolicy()).take(sum(counts))
    assert taken(RankedEdits(CORE, {}, StagedPolicy()), counts) == together
    assert all(one.prior >= other.prior for one, other in pairwise(together))


def test_an_edit_that_a_later_stage_finds_likely_comes_next() -> None:
    policy = StagedPolicy()
    ranked = RankedEdits(CORE, {}, policy)
    first = {each.edit for each in ranked.take(FIRST // 2)}
    late = [edit for edit in policy_order() if edit not in first][-8:]
    assert set(late) <= {each.edit for each in ranked.take(40)}
    assert policy.asked == [FIRST, LAST]


def policy_order() -> list[Edit]:
    """The edits in the order in which a policy is asked about them."""
    listed: list[Edit] = []

    class Listening(StagedPolicy):
        def logprobs(self, source: str, edits: Sequence[Edit], *, complete: int | None = None) -> list[float] | None:
            listed.extend(edits)
            return None

    RankedEdits(CORE, {}, Listening()).take(1)
    return listed


def test_the_policy_is_not_asked_while_no_unlikely_edit_is_taken() -> None:
    policy = StagedPolicy()
    unlikely = UnlikelyEdits(CORE, (True, False), {}, policy)
    assert unlikely.next(0) == []
    assert policy.asked == []
    assert len(unlikely.next(3)) == 3
    assert policy.asked == [FIRST]


def test_the_policy_is_asked_about_the_likely_edits_once_and_scores_few_of_them_to_their_end() -> None:
    policy = StagedPolicy()
    priors = EditPriors(CORE, {}, policy)
    assert sum(priors.of(CORE.initial()).values()) > 0
    assert priors.of(CORE.initial()) is priors.of(CORE.initial())
    assert policy.asked == [LIKELY_COMPLETE]

"""Likely single edits that the search has not judged yet and that are believed to pass every test.

The search stops soon after a candidate passes, and it walks deep as well as wide. Where few tests fail, many edits pass
them, and the right one may stand a little behind the first: so the likeliest edits are all imagined before a patch is
kept. Nothing is run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, TestImaginer
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from envs.domains.repair_core import RepairState
from envs.editing.edit import BadEdit

MOST_RANKS, LEAST_RANKS = 96, 32
"""The likeliest edits that are imagined where one test fails, half of them where two fail, and so on; the fewest."""

MOST_STEPS = 12_000
"""Steps that these edits may take together, by the length of the buggy program's run: long runs allow fewer edits."""


MOST_TOKENS = 1_024
"""Tokens of one of their runs: a run that costs more (some never end) is not worth a rival, and stays unknown."""
FAR_BEHIND = 16
"""An edit that is so many times less likely than every patch that passes is no rival: it would not be preferred."""


def likely_rivals(world: ImaginedRepair, imaginer: TestImaginer, passing: Sequence[Candidate] = ()) -> list[Candidate]:
    """The likeliest edits that the search left out and that are believed to pass; they count as seen from now on."""
    failing = [at for at in world.order if not world.marks[at]]
    if not failing:
        return []
    if isinstance(imaginer, RolloutImaginer):
        imaginer = replace(imaginer, tokens=MOST_TOKENS)
    ranks = max(LEAST_RANKS, MOST_RANKS // sum(not mark for mark in world.marks))
    least = min((each.prior for each in passing), default=0.0) / FAR_BEHIND
    ranked = [each for each in _likeliest(world, ranks) if each.prior >= least]
    unseen = [each for each in ranked if each.state.source not in world.seen]
    fresh = unseen[: MOST_STEPS // max(1, world.lengths[failing[0]])]
    beliefs = _imagined(world, imaginer, fresh, failing[:1])
    may_pass = [each for each in fresh if beliefs[each.state.source][failing[0]].passes]
    others = _imagined(world, imaginer, may_pass, [at for at in world.order if at != failing[0]])
    judged = [_judged(world, each, beliefs[each.state.source] | others.get(each.state.source, {})) for each in fresh]
    world.seen |= {each.state.source: each for each in judged}
    return [each for each in judged if world.is_believed_solution(each)]


def _likeliest(world: ImaginedRepair, count: int) -> list[Candidate]:
    """Candidates of one edit each, those with the highest prior first; nothing is believed of them yet."""
    initial = world.core.initial()
    ranked = sorted(zip(world.actions(initial), world.prior(initial) or (), strict=False), key=lambda each: -each[1])
    found: list[Candidate] = []
    for edit, prior in ranked[:count]:
        try:
            state: RepairState = world.core.transition(initial, edit)
        except BadEdit:
            continue
        found.append(Candidate(state, (None,) * len(world.marks), prior))
    return found


def _imagined(
    world: ImaginedRepair, imaginer: TestImaginer, candidates: Sequence[Candidate], tests: Sequence[int]
) -> dict[str, dict[int, Belief]]:
    """Beliefs about some tests of each candidate, by its source."""
    asked = [(each.state.source, world.core.entry, world.core.tests[at]) for each in candidates for at in tests]
    answers = iter(imaginer.beliefs(asked) if asked else ())
    found = {each.state.source: {at: next(answers) for at in tests} for each in candidates}
    world.steps += sum(belief.steps for beliefs in found.values() for belief in beliefs.values())
    return found


def _judged(world: ImaginedRepair, candidate: Candidate, beliefs: Mapping[int, Belief]) -> Candidate:
    """The candidate with its beliefs; of a test that is too long to imagine nothing is known."""
    listed = [beliefs.get(at) if at in world.order else Belief(None) for at in range(len(world.marks))]
    return Candidate(candidate.state, tuple(listed), candidate.prior)

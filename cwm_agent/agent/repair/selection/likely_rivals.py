"""Likely single edits that the search has not judged yet and that are believed to pass every test.

The search stops soon after a candidate passes, and it walks deep as well as wide. Where few tests fail, many edits pass
them, and the right one may stand a little behind the first: so the likeliest edits are all imagined before a patch is
kept. Nothing is run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from cwm_agent.agent.repair.beliefs import Belief, RolloutImaginer, TestImaginer
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from envs.domains.repair_core import RepairState
from envs.editing.edit import BadEdit, Edit
from envs.editing.fingerprint import fingerprint

MOST_RANKS, LEAST_RANKS = 96, 32
"""The likeliest edits that are imagined where one test fails, half of them where two fail, and so on; the fewest behind
the edit that passes."""

MOST_STEPS = 12_000
"""Steps that these edits may take together, by the length of the buggy program's run: long runs allow fewer edits."""


MOST_TOKENS = 1_024
"""Tokens of one of their runs: a run that costs more (some never end) is not worth a rival, and stays unknown."""
FAR_BEHIND = 16
"""An edit that is so many times less likely than the one that passes is no rival: it would not be preferred."""


def likely_rivals(world: ImaginedRepair, imaginer: TestImaginer, passing: Sequence[Candidate] = ()) -> list[Candidate]:
    """The likeliest edits that the search left out and that are believed to pass; they count as seen from now on.

    Beside a patch of several edits that passes, they take the place of its last edit.
    """
    if isinstance(imaginer, RolloutImaginer):
        imaginer = replace(imaginer, tokens=MOST_TOKENS)
    last: dict[tuple[Edit, ...], Edit | None] = {each.state.patch[:-1]: each.state.patch[-1] for each in passing}
    return [
        rival
        for before, edit in (last or {(): None}).items()
        for rival in _rivals(world, imaginer, reduce(world.core.transition, before, world.core.initial()), edit)
    ]


def _rivals(world: ImaginedRepair, imaginer: TestImaginer, state: RepairState, passing: Edit | None) -> list[Candidate]:
    """The likeliest edits of one program that are believed to pass, beside the one that really does."""
    fails = [at for at, passes in enumerate(world.base(state).passes) if not passes]
    failing = [at for at in world.order if at in fails]
    if not failing:
        return []
    ranked = _likeliest(world, state, MOST_RANKS // len(fails), passing)
    unseen = [each for each in ranked if each.state.source not in world.seen]
    fresh = unseen[: MOST_STEPS // max(1, world.lengths[failing[0]])]
    beliefs = _imagined(world, imaginer, fresh, failing[:1])
    may_pass = [each for each in fresh if beliefs[each.state.source][failing[0]].passes]
    others = _imagined(world, imaginer, may_pass, [at for at in world.order if at != failing[0]])
    judged = [_judged(world, each, beliefs[each.state.source] | others.get(each.state.source, {})) for each in fresh]
    world.seen |= {each.state.source: each for each in judged}
    return [each for each in judged if world.is_believed_solution(each)]


def _likeliest(world: ImaginedRepair, before: RepairState, count: int, passing: Edit | None) -> list[Candidate]:
    """Candidates that edit one program, those with the highest prior first; nothing is believed of them yet.

    At least `LEAST_RANKS` behind the edit that passes, and none far behind it.
    """
    known, priors = world.seen.get(before.source), world.prior(before) or ()
    ranked = sorted(zip(world.actions(before), priors, strict=False), key=lambda each: -each[1])
    place, own = next(((place, prior) for place, (edit, prior) in enumerate(ranked) if edit == passing), (0, 0.0))
    found: list[Candidate] = []
    for edit, prior in ranked[: max(count, place + LEAST_RANKS)]:
        try:
            state: RepairState = world.core.transition(before, edit)
        except BadEdit:
            continue
        if prior * FAR_BEHIND >= own and (not before.patch or fingerprint(state.source) is not None):
            found.append(Candidate(state, (None,) * len(world.marks), prior * (known.prior if known else 1.0)))
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

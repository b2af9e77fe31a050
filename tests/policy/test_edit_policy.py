"""The shipped policy: it ranks the repairs of common bugs above most edits, and proposes edits itself."""

import pytest

from cwm_agent.policy.edit_notation import MAX_SOURCE, scored_text
from cwm_agent.policy.edit_policy import EditPolicy
from envs.editing.edit_generation import edits, unlikely_edits
from envs.editing.fingerprint import fingerprint

BUGS = {
    "low = mid": (
        "def find(xs, wanted):\n    low, high = 0, len(xs) - 1\n    while low <= high:\n        mid = (low + high) // 2\n"
        "        if xs[mid] == wanted:\n            return mid\n        if xs[mid] < wanted:\n            low = mid\n"
        "        else:\n            high = mid - 1\n    return -1\n",
        "low = mid + 1",
    ),
    "best < x": (
        'def largest(xs):\n    """The largest of some numbers."""\n    best = xs[0]\n    for x in xs:\n'
        "        if x < best:\n            best = x\n    return best\n",
        "x > best",
    ),
    "appended": (
        "def doubled(xs):\n    found = []\n    for x in xs:\n        xs.append(2 * x)\n    return found\n",
        "found.append(2 * x)",
    ),
}


@pytest.fixture(scope="module")
def policy() -> EditPolicy:
    return EditPolicy.shipped()


@pytest.mark.parametrize("name", BUGS)
def test_the_repair_of_a_common_bug_is_among_the_first_tenth(policy: EditPolicy, name: str) -> None:
    source, repaired = BUGS[name]
    listed = edits(source)
    logprobs = policy.logprobs(source, listed)
    assert logprobs is not None
    ranked = sorted(zip(logprobs, map(str, listed), listed, strict=True), reverse=True)
    first = next(at for at, (_, _, edit) in enumerate(ranked) if repaired in edit.apply(source))
    assert first < len(listed) / 10


def test_proposals_are_different_programs_sorted_by_probability(policy: EditPolicy) -> None:
    source, repaired = BUGS["appended"]
    found = policy.proposals(source, 24)
    made = [fingerprint(edit.apply(source)) for edit, _ in found]
    assert len(set(made)) == len(made) > 5
    assert None not in made
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert any(repaired in edit.apply(source) for edit, _ in found)


def test_a_program_that_is_too_long_is_not_scored(policy: EditPolicy) -> None:
    source = "def f():\n" + "    x = 1\n" * (MAX_SOURCE // 8)
    assert policy.logprobs(source, edits("def f():\n    return 1\n")[:1]) is None
    assert policy.proposals(source, 4) == []


def test_edits_that_were_scored_are_not_scored_again(policy: EditPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search asks for the likely edits first, then for these and the unlikely ones together."""
    source, _ = BUGS["best < x"]
    listed = edits(source)
    first = policy.logprobs(source, listed[:40])
    scored: list[bytes] = []
    score = policy._scorer.score
    monkeypatch.setattr(
        policy._scorer, "score", lambda prompt, texts, **rest: scored.extend(texts) or score(prompt, texts, **rest)
    )
    again = policy.logprobs(source, listed[:40])
    assert again == first
    assert scored == []
    policy.logprobs(source, listed[:50])
    assert len(scored) <= 20  # ten edits, and the lines that they are in


@pytest.mark.parametrize("fewer", [0, 1, 25])
def test_more_edits_scored_to_their_end_leave_the_others_as_they_were(policy: EditPolicy, fewer: int) -> None:
    """Whether it was asked for more or for fewer edits before, a policy gives the same numbers."""
    source, _ = BUGS["appended"]
    listed = [*edits(source), *unlikely_edits(source)]
    few = policy.logprobs(source, listed, complete=fewer)
    more = policy.logprobs(source, listed, complete=60)
    assert few is not None
    assert more is not None
    changed = {scored_text(source, edit) for edit, one, two in zip(listed, few, more, strict=True) if one != two}
    assert 60 - fewer - 5 <= len(changed) <= 60 - fewer  # an estimate may be right by chance
    assert policy.logprobs(source, listed, complete=fewer) == few


def test_only_so_many_edits_are_scored_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    source, _ = BUGS["appended"]
    listed, policy = [*edits(source), *unlikely_edits(source)], EditPolicy.shipped()
    scored: list[bytes] = []
    score = policy._scorer.score
    monkeypatch.setattr(
        policy._scorer, "score", lambda prompt, texts, **rest: scored.extend(texts) or score(prompt, texts, **rest)
    )
    policy.logprobs(source, listed, complete=0)
    beginnings = len(scored)
    policy.logprobs(source, listed, complete=30)
    assert 25 <= len(scored) - beginnings <= 30  # some texts are no longer than their beginnings
    policy.logprobs(source, listed, complete=45)
    assert len(scored) - beginnings <= 45

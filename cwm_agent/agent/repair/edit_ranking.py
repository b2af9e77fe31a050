"""The prior probability of each edit, before anything is imagined.

It is the mean of two rankings that err in different ways: the learnt rate of the edit's class, and the policy, a
language model that read the program. An edit that either ranks high is tried early. Knows no tests and no beliefs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cwm_agent.agent.repair.evidence.run_evidence import RunEvidence
from envs.domains.edit_orders import class_weights, suspicion_of
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import Edit
from tasks.reading.program_text import bare_lines

LIKELY_COMPLETE = 150
"""Likely edits that the policy scores to their end: those with the likeliest beginnings. A program has 120 to 2,600."""
POLICY_PROPOSALS = 32
"""Edits that the policy is asked to propose."""
LATER_POWER = 0.5
"""Power of what the real run says where a program was edited before: its states are no longer those of the run."""
TEMPERATURE = 2.0
"""The policy's log-probabilities are divided by this: the policy is overconfident."""

Key = tuple[object, ...]
"""What an edit does, wherever its line stands: the line's text, the place in it and the change."""


class Policy(Protocol):
    """Ranks and proposes edits of a program; `cwm_agent.policy` ships one."""

    def logprobs(self, source: str, edits: Sequence[Edit], *, complete: int | None = None) -> list[float] | None:
        """The log-probability of each edit; None where the policy cannot rank them.

        `complete` is how many edits are worth scoring to their end, as many as usual if None; others may be estimated.
        """
        ...

    def proposals(self, source: str, count: int) -> list[tuple[Edit, float]]:
        """Edits of its own, the likeliest first."""
        ...


@dataclass(slots=True)
class EditPriors:
    """Prior probabilities of the edits of each program, computed once a program.

    The policy ranks the edits of the buggy program alone: to ask it about every candidate would cost more than it
    helps. An edit of a candidate gets the log-probability of the same edit of the buggy program.
    """

    core: RepairCore
    suspicion: Mapping[int, float]
    """Suspicion of each line of the buggy program."""
    policy: Policy | None = None
    evidence: RunEvidence | None = None
    """What the real run says of the edits of the buggy program."""
    _priors: dict[tuple[str, bool], Mapping[str, float]] = field(default_factory=dict)
    """By source, and whether it was edited: edits that lead back to the buggy program offer another list of edits."""
    _logprobs: dict[Key, float] = field(default_factory=dict)
    """The policy's log-probability of each edit of the buggy program, by its line's text, place and change."""
    _factors: dict[Key, float] = field(default_factory=dict)
    """By what the real run multiplies the prior of each edit of the buggy program, by the same."""

    def of(self, state: RepairState) -> Mapping[str, float]:
        """The prior of each edit of a program, by the edit's text; they add up to one."""
        key = state.source, bool(state.patch)
        if key not in self._priors:
            actions = self.core.actions_unchecked(state)
            lines = bare_lines(state.source)
            keys = [(*lines[edit.line - 1 : edit.line], edit.column, edit.before, edit.after) for edit in actions]
            logprobs = self._policy_logprobs(state, actions, keys)
            factors = self._evidence_factors(state, actions, keys)
            priors = edit_priors(actions, _shifted(self.suspicion, state.patch), logprobs, factors)
            self._priors[key] = dict(zip(map(str, actions), priors, strict=True))
        return self._priors[key]

    def _policy_logprobs(self, state: RepairState, edits: Sequence[Edit], keys: Sequence[Key]) -> list[float] | None:
        """The policy's log-probability of each edit; the median for edits that the buggy program does not have."""
        if self.policy is None:
            return None
        if not state.patch:
            logprobs = self.policy.logprobs(state.source, edits, complete=LIKELY_COMPLETE)
            self._logprobs = {} if logprobs is None else dict(zip(keys, logprobs, strict=True))
            return logprobs
        if not self._logprobs:
            return None
        median = sorted(self._logprobs.values())[len(self._logprobs) // 2]
        return [self._logprobs.get(key, median) for key in keys]

    def _evidence_factors(self, state: RepairState, edits: Sequence[Edit], keys: Sequence[Key]) -> list[float] | None:
        """By what the real run of the buggy program multiplies each prior; less once the program was edited."""
        if self.evidence is None:
            return None
        if not state.patch:
            factors = self.evidence.factors(edits)
            self._factors = dict(zip(keys, factors, strict=True))
            return factors
        return [self._factors.get(key, 1.0) ** LATER_POWER for key in keys]


def by_policy(edits: Sequence[Edit], suspicion: Mapping[int, float], logprobs: Sequence[float]) -> list[float]:
    """The weight of each edit: the policy's probability at `TEMPERATURE` times the suspicion of its line."""
    best = max(logprobs, default=0.0)
    return [
        math.exp((logprob - best) / TEMPERATURE) * suspicion_of(edit, suspicion)
        for edit, logprob in zip(edits, logprobs, strict=True)
    ]


def edit_priors(
    edits: Sequence[Edit],
    suspicion: Mapping[int, float],
    logprobs: Sequence[float] | None = None,
    factors: Sequence[float] | None = None,
) -> list[float]:
    """The prior of each edit, adding up to one: by class alone, or the mean of class and policy, times its factor."""
    found = _normalised(class_weights(edits, suspicion))
    if logprobs is not None:
        other = _normalised(by_policy(edits, suspicion, logprobs))
        found = [(one + two) / 2 for one, two in zip(found, other, strict=True)]
    if factors is None:
        return found
    return _normalised([weight * factor for weight, factor in zip(found, factors, strict=True)])


def policy_edits(core: RepairCore, policy: Policy) -> list[Edit]:
    """Edits that the policy proposes and that are not among the likely edits by rule."""
    made = {edit.apply(core.source) for edit in core.actions(core.initial())}
    proposed = (edit for edit, _ in policy.proposals(core.source, POLICY_PROPOSALS))
    return [edit for edit in proposed if edit.apply(core.source) not in made]


def _normalised(weights: Sequence[float]) -> list[float]:
    total = sum(weights) or 1.0
    return [weight / total for weight in weights]


def _shifted(suspicion: Mapping[int, float], patch: Sequence[Edit]) -> Mapping[int, float]:
    """The suspicion of each line, at the line's number after the edits of a patch."""
    for edit in patch:
        grown = edit.after.count("\n") - edit.before.count("\n")
        if grown:
            suspicion = {line + (grown if line > edit.line else 0): value for line, value in suspicion.items()}
    return suspicion

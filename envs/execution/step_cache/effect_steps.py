"""Compiled steps of lines that compute: their effect is looked up by what the line reads.

An entry is made by `learn`, from the effect that an oracle gave; here it is only looked up and applied again. Knows no
oracle.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from operator import itemgetter

from envs.execution.state.effects import Effect, Question
from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.step_cache.cached_effects import CachedEffect, ContinueAt, ReachedEffects, cached_effect_of
from envs.execution.step_cache.compiled_steps import NO_RULE, CompiledStep, StepLocation
from envs.execution.step_cache.mutable_frame import MutableFrame, labels_in
from envs.execution.stepper.values.iterator_rules import Advance, advance

Known = dict[Hashable, CachedEffect | ReachedEffects]
"""Cached effects of a line by the texts it reads."""


@dataclass(frozen=True, slots=True)
class ReadsAndBindings:
    """What a line reads and binds."""

    own: tuple[str, ...]
    """Plain variables that it reads."""
    shared: tuple[str, ...]
    """Module variables that it reads."""
    names: frozenset[str]
    """Plain variables that it may bind or unbind."""


class EffectStep(CompiledStep):
    """A line whose effect is taken from the cache."""

    __slots__ = ("_known", "_names_used", "_next", "_own")

    def __init__(
        self, location: StepLocation, names_used: ReadsAndBindings, known: Known, following: ContinueAt
    ) -> None:
        super().__init__(location)
        self._names_used, self._known, self._next = names_used, known, following
        self._own: Callable[[Mapping[str, str]], Hashable] = itemgetter(*names_used.own) if names_used.own else _nothing

    def step(self, state: MutableFrame) -> bool:
        try:
            key = self._own(state.variables)
            if self._names_used.shared:
                key = key, *[state.shared[name] for name in self._names_used.shared]
            entry = self._known.get(key)
            if isinstance(entry, ReachedEffects):
                entry = entry.known.get(state.contents(entry.roots))
        except KeyError:  # a name that is not bound
            return False
        if entry is None or entry.logprob is None:
            return self._by_rule(state, entry)
        try:
            entry.take(state, self._next)
        except Unsupported:
            return False
        state.asked += 1
        state.logprob += entry.logprob
        return True

    def learn(self, state: MutableFrame, question: Question, effect: Effect, logprob: float) -> None:
        """Cache an effect, if it can be applied again; `state` is the frame that the oracle was asked about."""
        entry = cached_effect_of(
            effect, logprob, names=self._names_used.names, heap=dict(question.heap), moved=self._moved(state)
        )
        if entry is not None:
            self._keep(state, entry)

    def _keep(self, state: MutableFrame, entry: CachedEffect) -> None:
        names_used = self._names_used
        if not (state.variables.keys() >= set(names_used.own) and state.shared.keys() >= set(names_used.shared)):
            return  # a part that is not reached may name what is not bound
        texts = [
            *[state.variables[name] for name in names_used.own],
            *[state.shared[name] for name in names_used.shared],
        ]
        roots = tuple(dict.fromkeys([label for text in texts for label in labels_in(text)]))
        key = self._own(state.variables)
        if names_used.shared:
            key = key, *texts[len(names_used.own) :]
        if not roots:
            self._known[key] = entry
            return
        reach = self._known.setdefault(key, ReachedEffects(roots))
        assert isinstance(reach, ReachedEffects)
        reach.known[state.contents(roots)] = entry

    def _by_rule(self, state: MutableFrame, entry: CachedEffect | None) -> bool:
        """Take the step where a rule gives its effect; `entry` is what the rule gave before, if it is cached."""
        return False

    def _moved(self, state: MutableFrame) -> dict[int, str] | None:
        """The iterators of a loop after one step; None for any other line."""
        return None


class LoopStep(EffectStep):
    """A `for` over an iterator: the item comes from the cache, the position and the end of the loop from rules."""

    __slots__ = ("_iterator", "_out")

    def __init__(
        self,
        location: StepLocation,
        names_used: ReadsAndBindings,
        known: Known,
        following: ContinueAt,
        *,
        out: ContinueAt,
    ) -> None:
        super().__init__(location, names_used, known, following)
        [self._iterator] = names_used.own
        self._out = out

    def _by_rule(self, state: MutableFrame, entry: CachedEffect | None) -> bool:
        if entry is None:
            try:
                end = self._advance(state)
            except NO_RULE:
                return False
            if end is None or end.gives:
                return False
            entry = CachedEffect({}, dict(end.contents), None)
            self._keep(state, entry)
        entry.take(state, self._out)
        return True

    def _moved(self, state: MutableFrame) -> dict[int, str] | None:
        moved = self._advance(state)
        return {} if moved is None else dict(moved.contents)

    def _advance(self, state: MutableFrame) -> Advance | None:
        label = label_of(state.variables[self._iterator])
        if label is None or state.heap[label].endswith(", changed)"):
            return None
        return advance(label, state.heap)


def _nothing(variables: Mapping[str, str]) -> Hashable:
    return ()

"""Lines that compute, as tracks: somebody has to be asked what they do, once for what they read.

Who was asked and what was learned of it is for others to say (`learn`); here it is only looked up and done again.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from operator import itemgetter

from envs.execution.state.effects import Effect, Question
from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.step_cache.cached_effects import CachedEffect, ContinueAt, ReachedEffects, cached_effect_of
from envs.execution.step_cache.compiled_steps import NO_RULE, CompiledStep, StepLocation
from envs.execution.step_cache.mutable_frame import MutableFrame, labels_in
from envs.execution.stepper.value_rules import Advance, advance

Known = dict[Hashable, CachedEffect | ReachedEffects]
"""Habits of a line by the texts it reads."""


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
    """A line by what it did before."""

    __slots__ = ("_known", "_own", "_phrase", "_way")

    def __init__(self, spot: StepLocation, phrase: ReadsAndBindings, known: Known, way: ContinueAt) -> None:
        super().__init__(spot)
        self._phrase, self._known, self._way = phrase, known, way
        self._own: Callable[[Mapping[str, str]], Hashable] = itemgetter(*phrase.own) if phrase.own else _nothing

    def step(self, sheet: MutableFrame) -> bool:
        try:
            key = self._own(sheet.variables)
            if self._phrase.shared:
                key = key, *[sheet.shared[name] for name in self._phrase.shared]
            habit = self._known.get(key)
            if isinstance(habit, ReachedEffects):
                habit = habit.known.get(sheet.contents(habit.roots))
        except KeyError:  # a name that is not bound
            return False
        if habit is None or habit.said is None:
            return self._by_rule(sheet, habit)
        try:
            habit.take(sheet, self._way)
        except Unsupported:
            return False
        sheet.asked += 1
        sheet.logprob += habit.said
        return True

    def learn(self, sheet: MutableFrame, question: Question, effect: Effect, said: float) -> None:
        """Keep what was said, if it can be done again; the sheet is the page it was said of."""
        habit = cached_effect_of(
            effect, said, names=self._phrase.names, heap=dict(question.heap), moved=self._moved(sheet)
        )
        if habit is not None:
            self._keep(sheet, habit)

    def _keep(self, sheet: MutableFrame, habit: CachedEffect) -> None:
        phrase = self._phrase
        if not (sheet.variables.keys() >= set(phrase.own) and sheet.shared.keys() >= set(phrase.shared)):
            return  # a part that is not reached may name what is not bound
        texts = [*[sheet.variables[name] for name in phrase.own], *[sheet.shared[name] for name in phrase.shared]]
        roots = tuple(dict.fromkeys([label for text in texts for label in labels_in(text)]))
        key = self._own(sheet.variables)
        if phrase.shared:
            key = key, *texts[len(phrase.own) :]
        if not roots:
            self._known[key] = habit
            return
        reach = self._known.setdefault(key, ReachedEffects(roots))
        assert isinstance(reach, ReachedEffects)
        reach.known[sheet.contents(roots)] = habit

    def _by_rule(self, sheet: MutableFrame, habit: CachedEffect | None) -> bool:
        """Take the step where nobody needs to be asked; `habit` is what was done then before."""
        return False

    def _moved(self, sheet: MutableFrame) -> dict[int, str] | None:
        """The iterators of a loop one on; None for any other line."""
        return None


class LoopStep(EffectStep):
    """A `for` over an iterator: the item is asked for, where the loop stands and when it ends are rules."""

    __slots__ = ("_iterator", "_out")

    def __init__(
        self, spot: StepLocation, phrase: ReadsAndBindings, known: Known, way: ContinueAt, out: ContinueAt
    ) -> None:
        super().__init__(spot, phrase, known, way)
        [self._iterator] = phrase.own
        self._out = out

    def _by_rule(self, sheet: MutableFrame, habit: CachedEffect | None) -> bool:
        if habit is None:
            try:
                end = self._advance(sheet)
            except NO_RULE:
                return False
            if end is None or end.gives:
                return False
            habit = CachedEffect({}, dict(end.contents), None)
            self._keep(sheet, habit)
        habit.take(sheet, self._out)
        return True

    def _moved(self, sheet: MutableFrame) -> dict[int, str] | None:
        moved = self._advance(sheet)
        return {} if moved is None else dict(moved.contents)

    def _advance(self, sheet: MutableFrame) -> Advance | None:
        label = label_of(sheet.variables[self._iterator])
        if label is None or sheet.heap[label].endswith(", changed)"):
            return None
        return advance(label, sheet.heap)


def _nothing(variables: Mapping[str, str]) -> Hashable:
    return ()

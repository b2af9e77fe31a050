"""Cached effects: what a line did where it read the same before, as a few changes to a mutable frame.

An entry holds wherever the line reads the same values and they reach the same contents under the same labels. It is
made from an effect that an oracle gave, or from the end of a loop. Knows neither where the line stands nor which
oracle it was.
"""

from collections.abc import Mapping
from typing import Protocol

from envs.execution.state.effects import Effect
from envs.execution.state.value_grammar import references
from envs.execution.step_cache.mutable_frame import MutableFrame
from envs.execution.stepper.values.value_rules import is_hashed, outdated, size
from envs.execution.text.canonical_labels import MalformedText, is_one_new, known_objects


class ContinueAt(Protocol):
    """Where execution continues: moves the state there and drops what is no longer needed."""

    def go(self, state: MutableFrame) -> None: ...


class CachedEffect:
    """An effect without new objects: no label needs to be found."""

    __slots__ = ("bound", "contents", "logprob")

    def __init__(self, bound: Mapping[str, str], contents: Mapping[int, str], logprob: float | None) -> None:
        self.bound = bound
        self.contents = contents
        self.logprob = logprob
        """The log-probability of the oracle's answer; None where a rule gave the effect."""

    def take(self, state: MutableFrame, following: ContinueAt) -> None:
        """Apply the effect and continue; raises Unsupported, before anything is changed, where it does not apply."""
        state.variables.update(self.bound)
        if self.contents:
            state.heap.update(self.contents)
        following.go(state)


class CachedCreation(CachedEffect):
    """One new object, bound to one name, that holds no other new one: it takes the first free label."""

    __slots__ = ()

    def take(self, state: MutableFrame, following: ContinueAt) -> None:
        heap = state.swept()
        heap.update(self.contents)
        label = 1
        while label in heap:
            label += 1
        for name, content in self.bound.items():
            heap[label] = content
            state.variables[name] = f"#{label}"
        following.go(state)


class CachedRelabelling(CachedEffect):
    """Anything else: names unbound, several new objects, dicts and sets that change size under an iterator."""

    __slots__ = ("unbound",)

    def __init__(self, effect: Effect, contents: Mapping[int, str], logprob: float | None) -> None:
        super().__init__(dict(effect.bound), contents, logprob)
        self.unbound = effect.unbound

    def take(self, state: MutableFrame, following: ContinueAt) -> None:
        before = state.swept()
        heap = {**before, **self.contents}
        heap.update(outdated(self.contents, before, heap))
        state.heap = heap
        for name in self.unbound:
            state.variables.pop(name, None)
        state.variables.update(self.bound)
        following.go(state)
        state.relabel(before)


class ReachedEffects:
    """Entries of a line for values that refer to objects, by the contents that these reach."""

    __slots__ = ("known", "roots")

    def __init__(self, roots: tuple[int, ...]) -> None:
        self.roots = roots
        self.known: dict[tuple[str, ...], CachedEffect] = {}


def cached_effect_of(
    effect: Effect,
    logprob: float | None,
    *,
    names: frozenset[str],
    heap: Mapping[int, str],
    moved: Mapping[int, str] | None = None,
) -> CachedEffect | None:
    """The cache entry for an effect; None where the effect cannot be applied again without the stepper.

    Args:
        names: those that the line may bind, all of them plain variables of its function.
        heap: all that the line's values reach.
        moved: where a loop's iterators stand afterwards, whatever the effect says of it.
    """
    if effect.raised is not None or not names.issuperset(dict(effect.bound)) or not names.issuperset(effect.unbound):
        return None
    contents = {label: content for label, content in effect.contents if label not in (moved or ())} | dict(moved or {})
    texts = [*[(text, 0) for _, text in effect.bound], *[(content, 1) for content in contents.values()]]
    held = {*heap, *contents}
    if any("cell(" in text or not held.issuperset(references(text)) for text, _ in texts):
        return None  # a cell is a variable, which binding would have to go through
    try:
        new = [text for text, own in texts if known_objects(text, own) is None]
    except MalformedText:
        return None
    resized = [label for label in contents.keys() & heap.keys() if _is_resized(contents[label], heap[label], heap)]
    if resized and moved is not None:
        return None
    if effect.unbound or resized or not heap.keys() >= contents.keys():
        return CachedRelabelling(effect, contents, logprob)
    if not new:
        return CachedEffect(dict(effect.bound), contents, logprob)
    if [text for _, text in effect.bound] == new and len(new) == 1 and is_one_new(new[0]):
        return CachedCreation(dict(effect.bound), contents, logprob)
    return CachedRelabelling(effect, contents, logprob)


def _is_resized(content: str, before: str, heap: Mapping[int, str]) -> bool:
    return is_hashed(content) and size(content, heap) != size(before, heap)

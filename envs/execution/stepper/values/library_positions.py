"""Where an iterator of `itertools` stands after its next item, and which item that is, by its text in the frame.

    product(((1, 2), ('a', 'b')), (0, 1))      gives (2, 'a'), then stands at (1, 0)
    chain((), (#2, #5))                        gives the next item of #5, or goes on to the next iterable of #2
    islice((#2, 3, 5, 1), 3)                   passes over items of #2, then gives one

Positions are indices and references, as in a loop over a list: rules move them and copy items, they compute no value.
`None` stands for an iterator that no rule moves, such as `accumulate`, or one over a set: the oracle must say it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from envs.execution.state.value_grammar import label_of

Heap = Mapping[int, str]
Split = Callable[[str], list[str]]
_INTEGER = re.compile(r"-?\d+$")
_INDEXED = re.compile(r"[(\['\"]|b['\"]|(?:keys|values|items)\(")
_ITERATORS = (
    "iter(",
    "reversed(",
    "chain(",
    "product(",
    "islice(",
    "enumerate(",
    "zip(",
    "count(",
    "repeat(",
    "cycle(",
)
_DICT = re.compile(r"\{\}$|\{(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,'\"])*?: ")
"""A dict's text, not a set's: a colon stands behind the first key."""
_DICTS = ("Counter(", "defaultdict(", "OrderedDict(")
_MOST_SKIPPED = 10_000
"""Items that one step may pass over without giving one."""


@dataclass(frozen=True, slots=True)
class Following:
    """The next item of an iterator, None at its end, and the contents that change."""

    item: str | None
    contents: dict[int, str]


class LibraryPositions:
    """Moves iterators of `itertools`; `plain` does so with Python's own iterators, and calls back for nested ones."""

    def __init__(
        self, plain: Callable[[int, Heap], Following | None], split: Split, truth: Callable[[str, Heap], bool]
    ) -> None:
        self._plain = plain
        self._split = split
        self._truth = truth
        self._rules: dict[str, Callable[[int, list[str], Heap], Following | None]] = {
            "chain": self._chain,
            "product": self._product,
            "permutations": self._permutations,
            "combinations": self._combinations,
            "combinations_with_replacement": self._with_replacement,
            "islice": self._islice,
            "repeat": self._repeat,
            "count": self._count,
            "cycle": self._cycle,
            "zip_longest": self._zip_longest,
            "compress": self._compress,
        }

    def following(self, label: int, heap: Heap) -> Following | None:
        """The next item of a library iterator; None where no rule moves it."""
        kind, _, inner = heap[label].partition("(")
        rule = self._rules.get(kind)
        return None if rule is None else rule(label, self._split(f"({inner[:-1]})"), heap)

    # -- over other iterators

    def _chain(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        changed: dict[int, str] = {}
        held = self._split(parts[1]) if len(parts) > 1 else []
        while held:
            if len(held) > 1:
                inner = self._of(held[1], {**heap, **changed})
                if inner is None or inner.item is not None:
                    return inner and Following(inner.item, changed | inner.contents)
            iterables = self._of(held[0], {**heap, **changed})
            if iterables is None:
                return None
            changed |= iterables.contents
            if iterables.item is None:
                break
            iterator = _iterator_of(iterables.item, {**heap, **changed})
            if iterator is None:
                return None
            if label_of(iterator) is None:
                fresh = max({**heap, **changed}) + 1
                changed[fresh], iterator = iterator, f"#{fresh}"
            held = [held[0], iterator]
            changed[label] = f"chain((), ({held[0]}, {iterator}))"
        return Following(None, changed | {label: "chain(())"})

    def _of(self, reference: str, heap: Heap) -> Following | None:
        label = label_of(reference)
        return None if label is None else self._plain(label, heap)

    def _islice(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        source, start, stop, step = self._split(parts[0])
        wanted, end, given = int(start), None if stop == "None" else int(stop), int(parts[1]) if parts[1:] else 0
        changed: dict[int, str] = {}
        if wanted - given > _MOST_SKIPPED:
            return None
        for _ in range(max(wanted - given, 0) + 1):
            if given >= wanted and end is not None and given >= end:
                return Following(None, changed | {label: "iter()"})
            inner = self._of(source, {**heap, **changed})
            if inner is None:
                return None
            changed |= inner.contents
            if inner.item is None:
                return Following(None, changed | {label: "iter()"})
            given += 1
        wanted = wanted + int(step) if end is None else min(wanted + int(step), end)
        assert inner is not None
        return Following(inner.item, changed | {label: f"islice(({source}, {wanted}, {stop}, {step}), {given})"})

    def _zip_longest(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        held, fill = self._split(parts[0]), parts[1] if len(parts) > 1 else "None"
        changed: dict[int, str] = {}
        items, active = [], sum(each != "()" for each in held)
        for place, each in enumerate(held):
            inner = None if each == "()" else self._of(each, {**heap, **changed})
            if each != "()" and inner is None:
                return None
            if inner is not None:
                changed |= inner.contents
                if inner.item is None:
                    active -= 1
                    if not active:
                        return Following(None, changed)
                    held[place] = "()"
            items.append(fill if inner is None or inner.item is None else inner.item)
            state = f", {fill}" if len(parts) > 1 else ""
            changed[label] = f"zip_longest({_tuple(held)}{state})"
        return Following(_tuple(items), changed) if items else None

    def _compress(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        data, selectors = self._split(parts[0])
        changed: dict[int, str] = {}
        for _ in range(_MOST_SKIPPED):
            found = []
            for each in (data, selectors):
                inner = self._of(each, {**heap, **changed})
                if inner is None:
                    return None
                changed |= inner.contents
                if inner.item is None:
                    return Following(None, changed)
                found.append(inner.item)
            if self._truth(found[1], heap):
                return Following(found[0], changed)
        return None

    def _cycle(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        if (saved := label_of(parts[1])) is None:
            return self._turned(label, parts[0], int(parts[1]), heap)
        inner = self._of(parts[0], heap)
        if inner is None:
            return None
        items = self._split(heap[saved])
        if inner.item is not None:
            return Following(inner.item, inner.contents | {saved: f"[{', '.join([*items, inner.item])}]"})
        return self._turned(label, parts[1], 0, heap) if items else None

    def _turned(self, label: int, saved: str, place: int, heap: Heap) -> Following:
        """A cycle after its first turn: it gives the items that it has saved."""
        held = label_of(saved)
        items = self._split(saved if held is None else heap[held])
        return Following(items[place], {label: f"cycle({saved}, {(place + 1) % len(items)})"})

    # -- by numbers

    def _repeat(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        item, *left = self._split(parts[0])
        if not left:
            return Following(item, {})
        if int(left[0]) < 1:
            return Following(None, {})
        return Following(item, {label: f"repeat(({item}, {int(left[0]) - 1}))"})

    def _count(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        numbers = self._split(parts[0])
        if not all(map(_INTEGER.match, numbers)):
            return None
        moved = [str(sum(map(int, numbers)) if numbers[1:] else int(numbers[0]) + 1), *numbers[1:]]
        return Following(numbers[0], {label: f"count({_tuple(moved)})"})

    def _product(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        pools = [self._split(pool) for pool in self._split(parts[0])]
        if not pools:
            return None
        at = self._numbers(parts[1]) if len(parts) > 1 else None
        if at is None:
            at = [0] * len(pools)
        else:
            place = len(at) - 1
            while place >= 0 and at[place] == len(pools[place]) - 1:
                at[place] = 0
                place -= 1
            if place < 0:
                return Following(None, {label: "product(((),))"})
            at[place] += 1
        if not all(pools):
            return Following(None, {label: "product(((),))"})
        items = [pool[index] for pool, index in zip(pools, at, strict=True)]
        return Following(_tuple(items), {label: f"product({parts[0]}, {_tuple(map(str, at))})"})

    def _numbers(self, text: str) -> list[int]:
        return [int(each) for each in self._split(text)]

    def _combinations(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        return self._chosen("combinations", label, parts, repeats=False)

    def _with_replacement(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        return self._chosen("combinations_with_replacement", label, parts, repeats=True)

    def _chosen(self, kind: str, label: int, parts: list[str], *, repeats: bool) -> Following | None:
        pool_text, count_text = self._split(parts[0])
        pool, count = self._split(pool_text), int(count_text)
        ended = Following(None, {label: f"{kind}(((), {count}))"})
        if len(parts) == 1:
            at = [0] * count if repeats else list(range(count))
            if (not pool and count) or (not repeats and count > len(pool)):
                return ended
        else:
            at = self._numbers(parts[1])
            last = [len(pool) - 1 if repeats else len(pool) - count + place for place in range(count)]
            place = next((each for each in reversed(range(count)) if at[each] != last[each]), None)
            if place is None:
                return ended
            at[place:] = [at[place] + 1 + (0 if repeats else step) for step in range(count - place)]
        state = f"{kind}({parts[0]}, {_tuple(map(str, at))})"
        return Following(_tuple(pool[index] for index in at), {label: state})

    def _permutations(self, label: int, parts: list[str], heap: Heap) -> Following | None:
        pool_text, count_text = self._split(parts[0])
        pool, count = self._split(pool_text), int(count_text)
        ended = Following(None, {label: f"permutations(((), {count}))"})
        if len(parts) == 1:
            at, turns = list(range(len(pool))), list(range(len(pool), len(pool) - count, -1))
            if count > len(pool):
                return ended
        else:
            at, turns = (self._numbers(each) for each in self._split(parts[1]))
            if not _turn(at, turns, count):
                return ended
        state = f"({_tuple(map(str, at))}, {_tuple(map(str, turns))})"
        item = _tuple(pool[index] for index in at[:count])
        return Following(item, {label: f"permutations({parts[0]}, {state})"})


def _turn(at: list[int], turns: list[int], count: int) -> bool:
    """Move indices to the next permutation in place; False behind the last one."""
    for place in reversed(range(count)):
        turns[place] -= 1
        if turns[place]:
            other = len(at) - turns[place]
            at[place], at[other] = at[other], at[place]
            return True
        at[place:] = [*at[place + 1 :], at[place]]
        turns[place] = len(at) - place
    return False


def _tuple(items: Iterable[str]) -> str:
    found = list(items)
    return f"({found[0]},)" if len(found) == 1 else f"({', '.join(found)})"


def _iterator_of(text: str, heap: Heap) -> str | None:
    """What `iter` makes of a value: a content, or the reference where the value is an iterator; None if not known."""
    label = label_of(text)
    content = text if label is None else heap[label]
    if label is not None and content.startswith(_ITERATORS):
        return text
    if content.startswith("range("):
        return f"iter({content})"
    if label is not None and (content.startswith(_DICTS) or _DICT.match(content)):
        return f"iter(keys({text}), 0)"
    listed = content.startswith(("[", "deque(")) if label is not None else bool(_INDEXED.match(text))
    return f"iter({text}, 0)" if listed else None

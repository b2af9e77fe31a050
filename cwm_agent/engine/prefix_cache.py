"""Prefix cache: keys and values of earlier prompts, so that equal beginnings are not computed again.

Prompts are similar: many ask about the same few lines, with values that differ near the end. Each cached token has a
slot, which is found by the slot of the token before it (a trie). So equal beginnings share their slots, and a new
prompt can continue from any token of an old one. A slot holds what a row of the KV cache holds for one token: keys,
values and convolution inputs. The least recently used slots are evicted first. Knows no weights and no bytes.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from cwm_agent.engine.arrays.protocol import Array, Arrays
from cwm_agent.engine.kv_cache import ForwardOutput, KVCache
from cwm_agent.engine.shape import Shape

ROOT = 0
"""The slot before every prompt; its inputs are the zeros that a convolution sees before a text."""


class ComputedTokens(NamedTuple):
    """Tokens that a row has just computed."""

    batch_index: int
    """Index of the row in the forward pass."""
    row: int
    """Row of the KV cache."""
    prefix_slots: Sequence[int]
    """Slots of the tokens before these."""
    tokens: Sequence[int]


def bytes_per_token(shape: Shape, itemsize: int) -> int:
    """Size of one slot, with so many bytes a number."""
    return (shape.cached_numbers + shape.layers * shape.width) * itemsize


class PrefixCache:
    """A trie of tokens in a bounded number of slots."""

    def __init__(self, shape: Shape, tokens: int, arrays: Arrays) -> None:
        slots = tokens + 1
        self._arrays = arrays
        self._keys_values = arrays.zeros(shape.layers, slots, shape.cached_numbers // shape.layers)
        self._conv_inputs = arrays.zeros(shape.layers, slots, shape.width)
        self._window = shape.window - 1
        self._slots = slots
        self._children: dict[tuple[int, int], int] = {}
        """The slot of a token, by the slot before it and the token."""
        self._last_used = [0] * slots
        """Step in which a slot was used last: never later than its parent's, so that eviction removes whole ends."""
        self._free = list(range(slots - 1, ROOT, -1))
        self._step = 0

    def clear(self) -> bool:
        """Remove all tokens. Returns False, and removes nothing, if the cache has grown since it was made."""
        if len(self._last_used) > self._slots:
            return False
        self._children.clear()
        self._last_used = [0] * self._slots
        self._free = list(range(self._slots - 1, ROOT, -1))
        self._step = 0
        return True

    def __len__(self) -> int:
        """Tokens in the cache."""
        return len(self._children)

    def find(self, tokens: Sequence[int]) -> list[int]:
        """The slots of the longest cached prefix of the tokens; marks them as used."""
        slot, found = ROOT, []
        for token in tokens:
            child = self._children.get((slot, token))
            if child is None:
                break
            slot = child
            self._last_used[slot] = self._step
            found.append(slot)
        return found

    def reserve(self, tokens: int) -> None:
        """Allocate slots for at least that many tokens; cached tokens stay."""
        slots = len(self._last_used)
        if (more := tokens + 1 - slots) > 0:
            self._keys_values = self._longer(self._keys_values, more)
            self._conv_inputs = self._longer(self._conv_inputs, more)
            self._last_used += [0] * more
            self._free[:0] = range(slots + more - 1, slots - 1, -1)

    def _longer(self, slots: Array, more: int) -> Array:
        """The same with so many more slots."""
        layers, count, numbers = slots.shape
        found = self._arrays.zeros(layers, count + more, numbers)
        found[:, :count] = slots
        return found

    def begin_step(self) -> None:
        """Start a new step; slots used from now on are not evicted before the next one."""
        self._step += 1

    def _free_slot(self) -> int | None:
        """A free slot; if none is left, the older half of the slots not used in this step is evicted first."""
        if not self._free:
            times = sorted(
                used for used in map(self._last_used.__getitem__, self._children.values()) if used < self._step
            )
            latest = times[len(times) // 2] if times else -1
            for key in [key for key, slot in self._children.items() if self._last_used[slot] <= latest]:
                self._free.append(self._children.pop(key))
        return self._free.pop() if self._free else None

    def load(self, kv_cache: KVCache, first: int, prefixes: Sequence[Sequence[int]], restarts: Sequence[int]) -> None:
        """Copy prefixes (as slots) into rows of the KV cache from `first` on.

        `restarts` are the lengths behind which the convolution of each row started anew (the end of its context).
        """
        columns = kv_cache.keys_values.shape[2]
        begins = [(first + row) * columns for row in range(len(prefixes))]
        targets = [begin + at for begin, slots in zip(begins, prefixes, strict=True) for at in range(len(slots))]
        if targets:
            self._arrays.copy(kv_cache.tokens, targets, self._keys_values, [*chain(*prefixes)])
        last = [self._last_slots(row[restart:]) for row, restart in zip(prefixes, restarts, strict=True)]
        here = kv_cache.conv_inputs[:, first : first + len(prefixes)]
        here[...] = self._arrays.selected(self._conv_inputs, [*chain(*last)]).reshape(here.shape)

    def _last_slots(self, slots: Sequence[int]) -> list[int]:
        """The last slots, as many as a convolution sees."""
        return [*[ROOT] * self._window, *slots][len(slots) :]

    def store(self, kv_cache: KVCache, output: ForwardOutput, computed: Sequence[ComputedTokens]) -> None:
        """Cache tokens that rows have just computed, as far as there are slots."""
        try:
            self._write(kv_cache, output, computed)
        except BaseException:  # for example an interrupt: slots may be allocated that were never written
            self._free += self._children.values()
            self._children.clear()
            raise

    def _write(self, kv_cache: KVCache, output: ForwardOutput, computed: Sequence[ComputedTokens]) -> None:
        slots, columns, inputs = list[int](), list[int](), list[int]()
        for each in computed:
            for number, slot in self._allocate(each):
                slots.append(slot)
                columns.append(each.row * kv_cache.keys_values.shape[2] + len(each.prefix_slots) + number)
                inputs.append(output.conv_starts[each.batch_index] + self._window + number)
        if slots:
            self._arrays.copy(self._keys_values, slots, kv_cache.tokens, columns)
            self._arrays.copy(self._conv_inputs, slots, output.conv_inputs, output.conv_order[np.array(inputs)])

    def _allocate(self, computed: ComputedTokens) -> Iterator[tuple[int, int]]:
        """Give a slot to each token that has none; yields the number of the token and its new slot."""
        slot = computed.prefix_slots[-1] if computed.prefix_slots else ROOT
        for number, token in enumerate(computed.tokens):
            child = self._children.get((slot, token))
            if child is None:
                if (child := self._free_slot()) is None:
                    return
                self._children[slot, token] = child
                yield number, child
            slot = child
            self._last_used[slot] = self._step

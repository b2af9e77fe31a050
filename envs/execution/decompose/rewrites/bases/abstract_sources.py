"""What `collections.abc` and `collections.UserDict` give to the classes that derive from them, as source.

`NAME` stands for the name that the class gets, `MAPPING` for that of the mappings. Each method does what the library's
does, in the same order; texts name the library's classes.
"""

from collections.abc import Mapping

_VIEWS = """
class NAME_view:
    def __init__(self, mapping):
        self._mapping = mapping
    def __len__(self):
        return len(self._mapping)
class NAME_keys(NAME_view):
    def __repr__(self):
        return f"KeysView({self._mapping!r})"
    def __contains__(self, key):
        return key in self._mapping
    def __iter__(self):
        for key in self._mapping:
            yield key
class NAME_items(NAME_view):
    def __repr__(self):
        return f"ItemsView({self._mapping!r})"
    def __contains__(self, item):
        key, value = item
        try:
            v = self._mapping[key]
        except KeyError:
            return False
        else:
            return v is value or v == value
    def __iter__(self):
        for key in self._mapping:
            yield (key, self._mapping[key])
class NAME_values(NAME_view):
    def __repr__(self):
        return f"ValuesView({self._mapping!r})"
    def __contains__(self, value):
        for key in self._mapping:
            v = self._mapping[key]
            if v is value or v == value:
                return True
        return False
    def __iter__(self):
        for key in self._mapping:
            yield self._mapping[key]
"""
_MAPPING = (
    _VIEWS
    + """
class NAME:
    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default
    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        else:
            return True
    def keys(self):
        return NAME_keys(self)
    def items(self):
        return NAME_items(self)
    def values(self):
        return NAME_values(self)
    def __eq__(self, other):
        if not (isinstance(other, NAME) or isinstance(other, dict)):
            return NotImplemented
        mine = {key: self[key] for key in self}
        return mine == {key: other[key] for key in other}
"""
)
_MUTABLE_MAPPING = """
class NAME(MAPPING):
    def pop(self, key, *given):
        try:
            value = self[key]
        except KeyError:
            if not given:
                raise
            return given[0]
        else:
            del self[key]
            return value
    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default
    def update(self, other=(), /, **more):
        if isinstance(other, MAPPING) or isinstance(other, dict):
            for key in other:
                self[key] = other[key]
        elif hasattr(other, "keys"):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in more.items():
            self[key] = value
"""
_EMPTYING = """
    def popitem(self):
        for key in self:
            break
        else:
            raise KeyError from None
        value = self[key]
        del self[key]
        return key, value
    def clear(self):
        try:
            while True:
                self.popitem()
        except KeyError:
            pass
"""
_USER_DICT = """
class NAME(MUTABLE):
    def __init__(self, given=None, /, **more):
        self.data = {}
        if given is not None:
            self.update(given)
        if more:
            self.update(more)
    def __len__(self):
        return len(self.data)
    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        raise KeyError(key)
    def __setitem__(self, key, item):
        self.data[key] = item
    def __delitem__(self, key):
        del self.data[key]
    def __iter__(self):
        return iter(self.data)
    def __contains__(self, key):
        return key in self.data
    def __repr__(self):
        return repr(self.data)
"""
_SEQUENCE = """
class NAME:
    def __iter__(self):
        i = 0
        try:
            while True:
                v = self[i]
                yield v
                i += 1
        except IndexError:
            return
    def __contains__(self, value):
        for v in self:
            if v is value or v == value:
                return True
        return False
    def __reversed__(self):
        for i in reversed(range(len(self))):
            yield self[i]
    def index(self, value, start=0, stop=None):
        if start is not None and start < 0:
            start = max(len(self) + start, 0)
        if stop is not None and stop < 0:
            stop += len(self)
        i = start
        while stop is None or i < stop:
            try:
                v = self[i]
            except IndexError:
                break
            if v is value or v == value:
                return i
            i += 1
        raise ValueError
    def count(self, value):
        found = 0
        for v in self:
            if v is value or v == value:
                found += 1
        return found
"""
_MUTABLE_SEQUENCE = """
class NAME(SEQUENCE):
    def append(self, value):
        self.insert(len(self), value)
    def clear(self):
        try:
            while True:
                self.pop()
        except IndexError:
            pass
    def reverse(self):
        n = len(self)
        for i in range(n // 2):
            self[i], self[n - i - 1] = self[n - i - 1], self[i]
    def extend(self, values):
        if values is self:
            values = list(values)
        for v in values:
            self.append(v)
    def pop(self, index=-1):
        v = self[index]
        del self[index]
        return v
    def remove(self, value):
        del self[self.index(value)]
    def __iadd__(self, values):
        self.extend(values)
        return self
"""
ITERATOR = "def __iter__(self):\n    return self"
"""What `Iterator` gives, which stands in the class itself: rules look there."""
ABSTRACT_SOURCES: Mapping[str, str] = {
    "Mapping": _MAPPING,
    "MutableMapping": _MUTABLE_MAPPING,
    "MutableMapping that is emptied": _MUTABLE_MAPPING + _EMPTYING,
    "UserDict": _USER_DICT,
    "Sequence": _SEQUENCE,
    "MutableSequence": _MUTABLE_SEQUENCE,
}
NEEDED: Mapping[str, tuple[str, ...]] = {
    "MutableMapping": ("Mapping",),
    "UserDict": ("Mapping", "MutableMapping"),
    "MutableSequence": ("Sequence",),
}
"""The classes above each, the most basic first."""
ABSTRACT_METHODS: Mapping[str, frozenset[str]] = {
    "Mapping": frozenset({"__getitem__", "__iter__", "__len__"}),
    "MutableMapping": frozenset({"__getitem__", "__setitem__", "__delitem__", "__iter__", "__len__"}),
    "UserDict": frozenset(),
    "Sequence": frozenset({"__getitem__", "__len__"}),
    "MutableSequence": frozenset({"__getitem__", "__setitem__", "__delitem__", "__len__", "insert"}),
    "Iterator": frozenset({"__next__"}),
    "Iterable": frozenset({"__iter__"}),
    "Sized": frozenset({"__len__"}),
    "Container": frozenset({"__contains__"}),
    "Collection": frozenset({"__len__", "__iter__", "__contains__"}),
    "Reversible": frozenset({"__iter__", "__reversed__"}),
    "Hashable": frozenset({"__hash__"}),
    "Callable": frozenset({"__call__"}),
}
"""Methods without which a class cannot be made; those of no source give nothing else."""

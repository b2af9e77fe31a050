"""What `collections.abc` and `collections.UserDict` give to the classes that derive from them, as source.

`NAME` stands for the name that the class gets, `MAPPING` for that of the mappings. Each method does what the library's
does, in the same order; texts name the library's classes.
"""

from collections.abc import Mapping

_VIEWS = """
class NAME_view:
    def __init__(self, owner):
        self._owner = owner
    def __len__(self):
        return len(self._owner)
class NAME_keys(NAME_view):
    def __iter__(self):
        for key in self._owner:
            yield key
    def __contains__(self, key):
        return key in self._owner
    def __repr__(self):
        return f"KeysView({self._owner!r})"
class NAME_values(NAME_view):
    def __iter__(self):
        for key in self._owner:
            yield self._owner[key]
    def __contains__(self, wanted):
        for found in self:
            if found is wanted or found == wanted:
                return True
        return False
    def __repr__(self):
        return f"ValuesView({self._owner!r})"
class NAME_items(NAME_view):
    def __iter__(self):
        for key in self._owner:
            yield (key, self._owner[key])
    def __contains__(self, pair):
        key, wanted = pair
        try:
            found = self._owner[key]
        except KeyError:
            return False
        return found is wanted or found == wanted
    def __repr__(self):
        return f"ItemsView({self._owner!r})"
"""
_MAPPING = (
    _VIEWS
    + """
class NAME:
    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True
    def __eq__(self, other):
        if not (isinstance(other, NAME) or isinstance(other, dict)):
            return NotImplemented
        mine = {key: self[key] for key in self}
        return mine == {key: other[key] for key in other}
    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default
    def keys(self):
        return NAME_keys(self)
    def values(self):
        return NAME_values(self)
    def items(self):
        return NAME_items(self)
"""
)
_MUTABLE_MAPPING = """
class NAME(MAPPING):
    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default
    def pop(self, key, *given):
        try:
            taken = self[key]
        except KeyError:
            if given:
                return given[0]
            raise
        del self[key]
        return taken
    def update(self, other=(), /, **more):
        keyed = isinstance(other, MAPPING) or isinstance(other, dict)
        if keyed or hasattr(other, "keys"):
            names = other if keyed else other.keys()
            for name in names:
                self[name] = other[name]
        else:
            for name, item in other:
                self[name] = item
        for name, item in more.items():
            self[name] = item
"""
_EMPTYING = """
    def popitem(self):
        for key in self:
            break
        else:
            raise KeyError from None
        taken = self[key]
        del self[key]
        return key, taken
    def clear(self):
        emptied = False
        while not emptied:
            try:
                self.popitem()
            except KeyError:
                emptied = True
"""
_USER_DICT = """
class NAME(MUTABLE):
    def __init__(self, given=None, /, **more):
        self.data = {}
        if given is not None:
            self.update(given)
        if more:
            self.update(more)
    def __getitem__(self, key):
        if key not in self.data:
            raise KeyError(key)
        return self.data[key]
    def __setitem__(self, key, item):
        self.data[key] = item
    def __delitem__(self, key):
        del self.data[key]
    def __iter__(self):
        return iter(self.data)
    def __len__(self):
        return len(self.data)
    def __contains__(self, key):
        return key in self.data
    def __repr__(self):
        return repr(self.data)
"""
_SEQUENCE = """
class NAME:
    def __iter__(self):
        place = 0
        while True:
            try:
                item = self[place]
            except IndexError:
                return
            yield item
            place += 1
    def __reversed__(self):
        place = len(self)
        while place > 0:
            place -= 1
            yield self[place]
    def __contains__(self, value):
        for item in self:
            if item is value or item == value:
                return True
        return False
    def count(self, value):
        found = 0
        for item in self:
            if item is value or item == value:
                found += 1
        return found
    def index(self, value, start=0, stop=None):
        place = max(len(self) + start, 0) if start is not None and start < 0 else start
        end = stop + len(self) if stop is not None and stop < 0 else stop
        while end is None or place < end:
            try:
                item = self[place]
            except IndexError:
                break
            if item is value or item == value:
                return place
            place += 1
        raise ValueError
"""
_MUTABLE_SEQUENCE = """
class NAME(SEQUENCE):
    def append(self, value):
        self.insert(len(self), value)
    def extend(self, values):
        given = list(values) if values is self else values
        for item in given:
            self.append(item)
    def __iadd__(self, values):
        self.extend(values)
        return self
    def pop(self, index=-1):
        taken = self[index]
        del self[index]
        return taken
    def remove(self, value):
        del self[self.index(value)]
    def reverse(self):
        first, last = 0, len(self) - 1
        while first < last:
            self[first], self[last] = self[last], self[first]
            first += 1
            last -= 1
    def clear(self):
        emptied = False
        while not emptied:
            try:
                self.pop()
            except IndexError:
                emptied = True
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

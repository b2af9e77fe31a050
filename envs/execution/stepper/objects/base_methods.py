"""Lines that ask an object only for what the container below its class does: nothing of the program runs in them.

    super().__setitem__(key, value)     self.move_to_end(key)       key in self

C code of a dict or a list asks no method that a subclass writes, but for `__missing__`; an `OrderedDict` does in some
methods, which are left out here. What the items run as keys, or where they are compared, is another question.

`copy` and `deepcopy` too ask an object only for what they look up by name: no other operator runs.
"""

import ast
from collections.abc import Callable, Mapping

from envs.execution.state.value_grammar import label_of
from envs.execution.stepper.frame_variables import Raised
from envs.execution.stepper.objects.object_text import ObjectText
from envs.execution.stepper.values.value_rules import split_entry, split_items
from envs.execution.syntax.classes.own_classes import OwnClasses
from envs.execution.syntax.classes.value_bases import VALUE_BASES

_KEYS = frozenset({"__eq__", "__hash__"})
_ORDERED_DICT = frozenset(
    "__setitem__ __getitem__ __delitem__ __contains__ __len__ get keys values items clear move_to_end".split()
)
_DICT = (_ORDERED_DICT - {"move_to_end"}) | {"pop", "popitem", "setdefault"}
_LIST = frozenset("append insert pop clear reverse copy __len__ __setitem__ __getitem__ __delitem__".split())
_METHODS: Mapping[str, frozenset[str]] = {
    "dict": _DICT,
    "OrderedDict": _ORDERED_DICT,
    "Counter": _DICT | {"elements", "total"},
    "defaultdict": _DICT - {"__getitem__"},
    **dict.fromkeys(VALUE_BASES, frozenset[str]()),
    "list": _LIST,
}
_ASKING = frozenset("pop popitem setdefault update copy".split())
"""Methods of an `OrderedDict` that ask what a subclass writes for items."""
_WRITTEN = frozenset("__getitem__ __setitem__ __delitem__ __contains__ __missing__ __init__".split())
_FILLING = frozenset({"__init__", "update"})
_THROUGH = frozenset({"__iter__", "__next__", "__getitem__", "__len__", "keys"})
_COPIES = frozenset({"copy.copy", "copy.deepcopy", "copy", "deepcopy"})
_COPYING = frozenset(
    "__copy__ __deepcopy__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __getnewargs__ __getnewargs_ex__ __new__"
    " __getattr__ __getattribute__ __setattr__ __class__".split()
)
Read = Callable[[ast.expr], str]


class BaseMethods:
    """Asks about lines of one program."""

    def __init__(self, classes: OwnClasses) -> None:
        self._classes = classes

    def asked(self, node: ast.AST, read: Read, heap: Mapping[int, str]) -> frozenset[str] | None:
        """The special methods that such a line may run of the objects it handles; None for any other line."""
        match node.value if isinstance(node, ast.Assign | ast.Expr) else None:
            case ast.Compare(
                left=ast.Name() | ast.Constant(), ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as held]
            ):
                owner = self._owner(read(held), heap)
                return _KEYS if owner and self._classes.find(owner, "__contains__") is None else None
            case ast.Call(func=func, args=[_], keywords=[]) if _called_name(func, read) in _COPIES:
                return self._copied(_called_name(func, read))
            case ast.Call(func=ast.Attribute(value=ast.Name() as held, attr=name)):
                return self._called(read(held), name, heap)
        return None

    def _copied(self, name: str) -> frozenset[str] | None:
        """What copying an object may run; None where a class derives from what is filled, or called, to copy it."""
        if any(each.container or each.exception for each in self._classes.classes.values()):
            return None
        if name.endswith("deepcopy"):
            return _COPYING - {"__copy__"} | _KEYS
        return _COPYING - {"__deepcopy__"}

    def _called(self, text: str, name: str, heap: Mapping[int, str]) -> frozenset[str] | None:
        after = split_items(text[len("super") :])[0] if text.startswith("super(") and text.endswith(")") else None
        owner = self._owner(split_items(text[len("super") :])[1] if after else text, heap)
        if not owner or self._classes.find(owner, name, after) is not None:
            return None
        kind = self._classes[owner].container
        if name == "__getitem__" and self._classes.find(owner, "__missing__") is not None:
            return None
        if name in _METHODS[kind]:
            return _KEYS
        if kind == "OrderedDict" and name in _ASKING:
            return _KEYS | _WRITTEN
        return _KEYS | _THROUGH if name in _FILLING and kind in ("dict", "Counter", "list") else None

    def _owner(self, text: str, heap: Mapping[int, str]) -> str:
        """The class of an object that derives from a container; empty for anything else."""
        label = label_of(text)
        name = "" if label is None else heap.get(label, "").partition("(")[0]
        known = self._classes.known(name)
        return name if known is not None and known.container else ""


def _called_name(func: ast.expr, read: Read) -> str:
    """The name of the function that a line calls: as it is written, or the text of the variable that holds it."""
    match func:
        case ast.Name(id=name):
            try:
                return read(func)
            except Raised:  # the question spells a function of the library that a variable holds
                return name
        case ast.Attribute(value=ast.Name(id="copy") as owner, attr=name) if read(owner) == "copy":
            return f"copy.{name}"
    return ""


def holds_key(content: str, key: str) -> bool:
    """Whether an object that derives from a dict surely has a key: as it is written."""
    items = ObjectText.of(content).items
    entries = split_items(items[0]) if items else []
    return any(split_entry(entry)[0] == key for entry in entries)

"""The type of a value by its text, as messages of exceptions name it."""

import re
from collections.abc import Collection, Mapping

from envs.execution.state.value_grammar import Unsupported, label_of

_NUMBER = re.compile(r"-?(?:\d+|(?P<float>(?:\d+\.\d*|\d+)(?:e[+-]?\d+)?|inf|nan))$")
_KIND = re.compile(r"([^\W\d]\w*)\(")
_ENTRY = re.compile(r"""\{(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'":])*:""", re.DOTALL)
"""A colon outside strings: the mark of a dict."""
_RENAMED = {"keys": "dict_keys", "values": "dict_values", "items": "dict_items", "iter": ""}

_C_TYPES = {
    **{name: f"datetime.{name}" for name in ("date", "datetime", "time", "timedelta", "timezone")},
    **{name: f"collections.{name}" for name in ("deque", "defaultdict", "OrderedDict")},
    **{
        name: f"itertools.{name}" for name in ("chain", "count", "cycle", "islice", "permutations", "product", "repeat")
    },
    "Decimal": "decimal.Decimal",
    "Pattern": "re.Pattern",
    "Match": "re.Match",
    "StringIO": "_io.StringIO",
    "SimpleNamespace": "types.SimpleNamespace",
    "MatchingBlock": "Match",
}
"""Types written in C, by the names that messages give them."""


def type_name(text: str, heap: Mapping[int, str], own: Collection[str] = ()) -> str:
    """The name of the value's type; Unsupported where the text does not say it. `own` are names of the program."""
    label = label_of(text)
    if label is not None:
        return type_name(heap[label], heap, own)
    if text in ("True", "False"):
        return "bool"
    if text == "None":
        return "NoneType"
    if text[0] in "'\"":
        return "str"
    if text[0] == "[":
        return "list"
    if text[0] == "(":
        return "tuple"
    if text[0] == "{":
        return "dict" if text == "{}" or _ENTRY.match(text) else "set"
    if match := _NUMBER.match(text):
        return "float" if match["float"] else "int"
    if text.startswith(("b'", 'b"')):
        return "bytes"
    kind = _KIND.match(text)
    if kind and kind[1] in own:
        return kind[1]
    name = _RENAMED.get(kind[1], _C_TYPES.get(kind[1], kind[1])) if kind else ""
    if not name:
        raise Unsupported(f"the type of {text[:40]}")
    return name

"""Values as Python's `repr` shows them, made the same in every run: no addresses, sets in order, no failures.

Called inside the sandbox, since a program's own `__repr__` may do anything.
"""

import contextlib
import re

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_PLAIN = (int, float, bool, str, bytes, type(None), complex)


def shown(value: object) -> str:
    """The repr of a value; what cannot be shown is `<Type>`."""
    try:
        text = repr(value)
        if "{" in text or "set(" in text:
            text = _ordered(value, frozenset())
    except Exception:  # a program's own __repr__ raises what it likes; so does an integer of too many digits
        return f"<{type(value).__name__}>"
    if " at 0x" in text and not isinstance(value, _PLAIN):
        text = _ADDRESS.sub("", text)
    return "<..>" if text == ".." else text  # `..` says "as before" in a history


def _ordered(value: object, above: frozenset[int]) -> str:
    """The repr with the items of every set in order, through plain containers."""
    kind = type(value)
    if kind not in (list, tuple, dict, set, frozenset) or not value or id(value) in above:
        return repr(value) if id(value) not in above else "..."
    inside = above | {id(value)}
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_ordered(k, inside)}: {_ordered(v, inside)}" for k, v in value.items()) + "}"
    assert isinstance(value, list | tuple | set | frozenset)
    items = _texts(value, inside)
    if isinstance(value, list):
        return "[" + ", ".join(items) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(items) + (",)" if len(items) == 1 else ")")
    braces = "{" + ", ".join(items) + "}"
    return braces if kind is set else f"frozenset({braces})"


def _texts(
    value: list[object] | tuple[object, ...] | set[object] | frozenset[object], inside: frozenset[int]
) -> list[str]:
    """The texts of the items, each written once; those of a set by size, or by text where sizes say nothing."""
    if not isinstance(value, list | tuple) and not any(isinstance(item, frozenset) for item in value):
        with contextlib.suppress(TypeError):
            value = sorted(value)  # type: ignore[type-var]
    texts = [_ordered(item, inside) for item in value]
    return texts if isinstance(value, list | tuple) else sorted(texts)

"""Long answers that many faulty programs share: guesses for speculative decoding from the first query on.

A wrong guess changes no answer (`engine/decoding/speculative_decoding.py`). Error messages of one kind share most of
their text, so one message of each kind serves for all types and operators.
"""

_MESSAGES = {
    "TypeError": (
        "unsupported operand type(s) for +: 'int' and 'str'",
        "unsupported operand type(s) for -: 'str' and 'int'",
        "unsupported operand type(s) for -: 'list' and 'int'",
        "unsupported operand type(s) for +=: 'int' and 'list'",
        "unsupported operand type(s) for ** or pow(): 'list' and 'int'",
        "'<' not supported between instances of 'int' and 'str'",
        "'>' not supported between instances of 'list' and 'int'",
        "'<=' not supported between instances of 'tuple' and 'int'",
        "bad operand type for unary -: 'list'",
        "can't multiply sequence by non-int of type 'float'",
        "argument of type 'int' is not iterable",
        "'int' object is not iterable",
        "'int' object is not subscriptable",
        "'int' object is not callable",
        "'str' object does not support item assignment",
        "object of type 'int' has no len()",
        "cannot unpack non-iterable int object",
        "unhashable type: 'list'",
        "list indices must be integers or slices, not str",
        "string indices must be integers, not 'str'",
        "slice indices must be integers or None or have an __index__ method",
        'can only concatenate list (not "int") to list',
        'can only concatenate str (not "int") to str',
        "sequence item 0: expected str instance, int found",
    ),
    "AttributeError": ("'list' object has no attribute 'add'",),
    "ValueError": (
        "not enough values to unpack (expected 2, got 1)",
        "too many values to unpack (expected 2)",
        "invalid literal for int() with base 10: 'a'",
    ),
    "IndexError": ("list index out of range", "string index out of range", "pop from empty list"),
    "ZeroDivisionError": ("integer division or modulo by zero", "division by zero"),
}
FIRST_GUESSES = tuple(f"!{name}({message!r})".encode() for name, messages in _MESSAGES.items() for message in messages)

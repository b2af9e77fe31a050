"""Fingerprint of a program: a digest of its bytecode without line numbers. Equal fingerprints mean equal behaviour.

Texts that differ in parentheses, comments or layout, or in constants that the compiler folds, share a fingerprint.
"""

from __future__ import annotations

import marshal
import types
import warnings
from hashlib import blake2b

from envs.bounded_cache import MIB, bounded_cache


@bounded_cache(16 * MIB, per_character=1)  # most definitions of an edited program are unchanged
def fingerprint(source: str) -> bytes | None:
    """A digest of the compiled program; None if it does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as comparing a literal with `is`
            code = compile(source, "<edited>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    digest = blake2b(digest_size=16)
    _feed(code, digest)
    return digest.digest()


def _feed(code: types.CodeType, digest: blake2b) -> None:
    constants = [each for each in code.co_consts if not isinstance(each, types.CodeType)]
    parts = (
        code.co_name,
        code.co_argcount,
        code.co_flags,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_code,
        code.co_exceptiontable,
        [_text(each) for each in constants],
    )
    digest.update(marshal.dumps(parts, 2))  # version 2 writes no references, so equal values give equal bytes
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            _feed(each, digest)


def _text(constant: object) -> str:
    """A constant as text, with sets in sorted order: the order of a set differs between processes."""
    if isinstance(constant, frozenset):
        return f"frozenset({sorted(map(_text, constant))})"
    if isinstance(constant, tuple):
        return f"({', '.join(map(_text, constant))})"
    return repr(constant)

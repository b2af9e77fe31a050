"""Parses program texts of unknown origin: bounded in size before they are parsed; a refusal is a BadSource.

Knows no task and no file.
"""

import ast
import io
import warnings

from tasks.errors import BadSource, NotPlain

MAX_CHARACTERS = 500_000
"""Longest program text."""
MAX_LINES = 20_000
"""Most lines of a program text."""
MAX_BITS = 10_000
"""Largest integer in a program text or a plain value; Python writes at most 4,300 digits, about 14,000 bits."""


def parse(source: str) -> ast.Module:
    """The syntax tree of a program text, without warnings."""
    tree = _tree(source, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def parse_expression(text: str) -> ast.expr:
    """The syntax tree of one expression, without warnings."""
    tree = _tree(text, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def unparsed(node: ast.AST) -> str:
    """The text of a syntax tree; NotPlain if Python cannot write it."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError) as error:  # Python 3.11 cannot nest all strings in f-strings
        raise NotPlain(f"Python cannot write this code ({error})") from error


def source_lines(source: str) -> list[str]:
    """The lines of a program text with their ends, as Python's parser counts them.

    `str.splitlines` also breaks at form feeds and at separators of Unicode, where the parser goes on.
    """
    return list(io.StringIO(source, newline=""))


def bare_lines(source: str) -> list[str]:
    """The same lines without their ends."""
    return [line.rstrip("\r\n") for line in source_lines(source)]


def _tree(source: str, mode: str) -> ast.AST:
    check_size(source)
    if "\0" in source:
        raise BadSource("there is a null byte", source[: source.index("\0")].count("\n") + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source, mode=mode)
        except SyntaxError as error:
            raise BadSource(error.msg, error.lineno) from error
        except (RecursionError, MemoryError) as error:
            raise BadSource("it is nested too deeply") from error
        except ValueError as error:  # surrogates
            raise BadSource(str(error)) from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value.bit_length() > MAX_BITS:
            raise BadSource(f"an integer has more than {MAX_BITS:,} bits", node.lineno)
    return tree


def check_size(source: str) -> None:
    """Raise BadSource if the text is too long to be parsed."""
    if len(source) > MAX_CHARACTERS:
        raise BadSource(f"the text has {len(source):,} characters, and at most {MAX_CHARACTERS:,} are read")
    lines = source.count("\n")
    if lines > MAX_LINES:
        raise BadSource(f"the text has {lines:,} lines, and at most {MAX_LINES:,} are read")

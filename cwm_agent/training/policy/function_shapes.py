"""The shape of a function: its tokens with numbered names, so that copies under other names are found.

The corpus removes duplicates, and functions of the tasks that the policy is evaluated on. Knows no corpus.
"""

import ast
import builtins
import hashlib
import json
import keyword
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_KEPT = frozenset((*keyword.kwlist, *dir(builtins)))
_TOKEN = re.compile(
    r"#[^\n]*|(?P<text>\'[^\'\n]*\'|\"[^\"\n]*\")|(?P<attribute>\.\s*[A-Za-z_]\w*)|(?P<name>[A-Za-z_]\w*)|\d[\w.]*|[^\s\w]"
)


class KnownShapes(NamedTuple):
    """Functions that the corpus must not contain."""

    shapes: set[bytes]
    names: frozenset[str]
    """Names of more than one word; single words are too common."""


def shape_of(text: str) -> bytes:
    """A digest that ignores white space, comments, the kind of quotes, and names the function defines."""
    numbers: dict[str, str] = {}
    words = []
    for found in _TOKEN.finditer(text):
        word = found[0]
        if word[0] == "#":
            continue
        if found["name"] and word not in _KEPT:
            word = numbers.setdefault(word, f"${len(numbers)}")
        elif found["text"]:
            word = f"'{word[1:-1]}'"
        words.append(word)
    return hashlib.blake2b(" ".join(words).encode(), digest_size=12).digest()


def shapes_in(paths: Sequence[Path]) -> KnownShapes:
    """Shapes and names of the functions in Python files and in the texts of JSON rows; a .txt file lists names."""
    shapes, names = set[bytes](), set[str]()
    for path in paths:
        for text in _texts(path):
            for name, function in _functions(text):
                shapes.add(shape_of(function))
                names.update([name] if "_" in name.strip("_") else [])
        if path.suffix == ".txt":
            names.update(path.read_text(encoding="utf-8").split())
    return KnownShapes(shapes, frozenset(names))


def _texts(path: Path) -> Iterator[str]:
    if path.is_dir():
        for each in sorted(path.iterdir()):
            yield from _texts(each)
    elif path.suffix == ".py":
        yield path.read_text(encoding="utf-8")
    elif path.suffix == ".jsonl":
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts = [each for each in row.values() if isinstance(each, str)]
            yield from texts
            # HumanEvalPack stores a function in two parts
            head = row.get("declaration", "")
            yield from (head + each for each in texts if head and each != head)


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """Functions of a text with their names, without docstrings; none if it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            own = [*lines[node.lineno - 1 : node.end_lineno]]
            if ast.get_docstring(node) is not None:
                docstring = node.body[0]
                del own[docstring.lineno - node.lineno : (docstring.end_lineno or docstring.lineno) - node.lineno + 1]
            yield node.name, "".join(own)

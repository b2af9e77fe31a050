"""Functions of published Python packages, one a row: the corpus that bugs are put into.

    pip download --no-deps -d wheels networkx sympy more-itertools ...
    python -m cwm_agent.policy.corpus wheels --out functions.jsonl.xz

Takes folders, wheels and single files. A function stands with the functions and constants of its module that it uses,
where these are short; long docstrings keep their first line. Plain functions, which use variables and builtins more
than attributes and imports, get more weight, since they are what one can imagine.
"""

import argparse
import ast
import builtins
import hashlib
import json
import lzma
import re
import sys
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

SHORTEST, LONGEST, MOST_LINES = 60, 1_600, 48
LONGEST_DOCSTRING = 160
_BUILTIN = frozenset(dir(builtins))
_WORTH_A_BUG = (ast.For, ast.While, ast.If, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.comprehension)
_TEST = re.compile(r"(^|/)(tests?|testing)(/|_|\.py)|_test\.py|conftest", re.IGNORECASE)


def texts_in(path: Path, within: str = "") -> Iterator[str]:
    """The Python files of a folder, a wheel, or a single one; tests are left out, by their names within the folder."""
    if path.is_dir():
        for each in sorted(path.iterdir()):
            yield from texts_in(each, f"{within}/{each.name}")
    elif path.suffix in (".whl", ".zip") and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".py") and not _TEST.search(name):
                    yield archive.read(name).decode("utf-8", "ignore")
    elif path.suffix == ".py" and not _TEST.search(within):
        yield path.read_text(encoding="utf-8", errors="ignore")


def functions_of(text: str) -> Iterator[tuple[str, float]]:
    """The functions of a module, each with all of the module that it needs, and its weight."""
    if not text.isascii() or "\t" in text or "\r" in text:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.splitlines(keepends=True)
    known = {name: node for node in tree.body for name in _named(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("test") and _is_worth_a_bug(node):
            source = _with_needed(node, known, lines)
            if SHORTEST <= len(source) <= LONGEST and source.count("\n") <= MOST_LINES:
                yield source, _weight(node)


def _named(node: ast.stmt) -> list[str]:
    """What a statement of the module names that a function may need."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign) and (node.end_lineno or 0) - node.lineno < 6:
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def _is_worth_a_bug(node: ast.FunctionDef) -> bool:
    return len(node.body) > 1 and any(isinstance(each, _WORTH_A_BUG) for each in ast.walk(node))


def _with_needed(node: ast.FunctionDef, known: dict[str, ast.stmt], lines: Sequence[str]) -> str:
    """A function behind the short parts of its module that it uses."""
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    needed = [known[name] for name in sorted(used & known.keys()) if known[name] is not node]
    parts = [_text(each, lines) for each in sorted(dict.fromkeys(needed), key=lambda each: each.lineno)]
    own = _text(node, lines)
    whole = "\n\n".join([*(part for part in parts if len(part) < LONGEST // 3), own])
    return whole if len(whole) <= LONGEST else own


def _text(node: ast.stmt, lines: Sequence[str]) -> str:
    """A statement on its own, at the left margin, its docstring cut."""
    first, last = node.lineno, node.end_lineno or node.lineno
    kept = list(lines[first - 1 : last])
    if isinstance(node, ast.FunctionDef) and (docstring := ast.get_docstring(node)) is not None:
        own = node.body[0]
        if len(docstring) > LONGEST_DOCSTRING or "\n" in docstring:
            line = docstring.split("\n")[0][:LONGEST_DOCSTRING].replace("\\", "").replace('"', "'")
            text = f'{" " * own.col_offset}"""{line}"""\n'
            kept[own.lineno - first : (own.end_lineno or own.lineno) - first + 1] = [text]
    margin = len(kept[0]) - len(kept[0].lstrip(" "))
    return "".join(line[margin:] if line[:margin].isspace() or not margin else line.lstrip() for line in kept)


def _weight(node: ast.FunctionDef) -> float:
    """How plain a function is: the share of what it uses that is its own or Python's, squared."""
    nodes = list(ast.walk(node))
    own = {each.arg for each in nodes if isinstance(each, ast.arg)} - {"self", "cls"}
    own |= {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    read = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    plain = sum(name in own or name in _BUILTIN for name in read)
    foreign = len(read) - plain + sum(isinstance(each, ast.Attribute) for each in nodes)
    loops = any(isinstance(each, ast.For | ast.While | ast.comprehension) for each in nodes)
    return round((0.1 + (plain / max(1, plain + foreign)) ** 2) * (2.0 if loops else 1.0), 3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read, write, say how much; 0."""
    command = argparse.ArgumentParser(
        prog="python -m cwm_agent.policy.corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("paths", nargs="+", type=Path, help="folders, wheels, files")
    command.add_argument("--out", type=Path, required=True, help="a file of rows; .xz is packed")
    options = command.parse_args(arguments)
    seen: set[bytes] = set()
    with (lzma.open if options.out.suffix == ".xz" else open)(options.out, "wt", encoding="utf-8") as file:
        for path in options.paths:
            for text in texts_in(path):
                for source, weight in functions_of(text):
                    key = hashlib.md5(source.encode(), usedforsecurity=False).digest()
                    if key not in seen:
                        seen.add(key)
                        file.write(json.dumps({"source": source, "weight": weight}) + "\n")
    print(f"{len(seen)} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())

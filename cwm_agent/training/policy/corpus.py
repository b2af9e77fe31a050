"""Collects functions of published Python packages, one per row: the corpus for bug injection.

    pip download --no-deps -d wheels networkx sympy more-itertools ...
    python -m cwm_agent.training.policy.corpus wheels/* --permissive --least 0.5 \
        --without tasks/repair --out functions.jsonl.xz

Takes folders, wheels, source archives and single files. A function is stored with the short functions and constants of
its module that it uses; long docstrings keep their first line. Plain functions, which use variables and builtins more
than attributes and imports, get more weight, because they are like the tasks. Of functions that differ in names and
white space only, the first is kept.
"""

import argparse
import ast
import builtins
import json
import lzma
import re
import sys
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from cwm_agent.jobs.function_calls import map_calls
from cwm_agent.jobs.placement import Placement
from cwm_agent.training.policy.bug_text import nodes_of
from cwm_agent.training.policy.function_shapes import shape_of, shapes_in
from cwm_agent.training.policy.licences import is_permissive, stated_licences
from tasks.output.terminal_text import print_line

SHORTEST, LONGEST, MOST_LINES = 60, 1_600, 48
LONGEST_DOCSTRING = 160
_BUILTIN = frozenset(dir(builtins))
_WORTH_A_BUG = (ast.For, ast.While, ast.If, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.comprehension)
ARCHIVES = (".whl", ".zip", ".gz", ".tgz", ".bz2", ".xz")
_READ = re.compile(r"\.py$|\.dist-info/METADATA$|^[^/]*/PKG-INFO$")
_TEST = re.compile(r"(^|/)(tests?|testing)(/|_|\.py)|_test\.py|conftest", re.IGNORECASE)


class CorpusRow(NamedTuple):
    """One function of the corpus."""

    source: str
    """The function, with the parts of its module that it needs."""
    weight: float
    """How plain the function is, from 0 to 1."""
    name: str
    shape: bytes
    """Digest that is equal for functions that differ in names and white space only."""


def texts_in(path: Path, within: str = "") -> Iterator[str]:
    """The texts of the Python files of a folder, an archive or a single file, without tests (by file name)."""
    if path.is_dir():
        for each in sorted(path.iterdir()):
            yield from texts_in(each, f"{within}/{each.name}")
    elif path.suffix in ARCHIVES:
        for name, read in _members(path):
            if name.endswith(".py") and not _TEST.search(name):
                yield read
    elif path.suffix == ".py" and not _TEST.search(within):
        yield path.read_text(encoding="utf-8", errors="ignore")


def _members(path: Path) -> Iterator[tuple[str, str]]:
    """The Python files and metadata of an archive, by name; none if it cannot be read."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in filter(_READ.search, sorted(archive.namelist())):
                    yield name, archive.read(name).decode("utf-8", "ignore")
        elif tarfile.is_tarfile(path):
            with tarfile.open(path) as tar:
                for member in tar:
                    if member.isfile() and _READ.search(member.name) and (file := tar.extractfile(member)) is not None:
                        yield member.name, file.read().decode("utf-8", "ignore")
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, ValueError) as error:
        print_line(f"{path} is left out from here on: {type(error).__name__}: {error}", error=True)


def licences_of(path: Path) -> tuple[str, ...]:
    """The licences that the metadata of an archive or folder name."""
    metadata: Iterator[str] = iter(())
    if path.is_dir():
        metadata = (each.read_text(encoding="utf-8", errors="ignore") for each in path.glob("PKG-INFO"))
    elif path.suffix in ARCHIVES:
        metadata = (text for name, text in _members(path) if not name.endswith(".py"))
    return next((found for text in metadata if (found := stated_licences(text))), ())


def functions_of(text: str, *, least: float = 0.0) -> Iterator[CorpusRow]:
    """The functions of a module with at least that weight, each with the parts of the module it needs."""
    text = text.replace("\r\n", "\n").expandtabs(4)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = [f"{line}\n" for line in text.split("\n")]  # Python's line breaks, form feeds included
    known = {name: node for node in tree.body for name in _named(node)}
    for node in _functions(tree):
        own = _text(node, lines)
        if len(own) > LONGEST or own.count("\n") > MOST_LINES or not own.isascii():
            continue
        nodes = nodes_of(node)
        weight = _weight(nodes)
        if weight >= least and any(isinstance(each, _WORTH_A_BUG) for each in nodes):
            source = _with_needed(own, nodes, known, lines)
            if len(source) >= SHORTEST:
                yield CorpusRow(source, weight, node.name, shape_of(_text(node, lines, docstring=False)))


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Functions, methods and inner functions with more than one statement, without tests."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
                waiting.append(node)
            if isinstance(node, ast.FunctionDef) and len(node.body) > 1 and not node.name.startswith("test"):
                yield node


def _named(node: ast.stmt) -> list[str]:
    """Names that a statement of the module defines."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign) and (node.end_lineno or 0) - node.lineno < 6:
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def _with_needed(own: str, nodes: Sequence[ast.AST], known: dict[str, ast.stmt], lines: Sequence[str]) -> str:
    """The short parts of the module that a function uses, followed by the function, if not too long."""
    used = {each.id for each in nodes if isinstance(each, ast.Name)}
    needed = [known[name] for name in sorted(used & known.keys()) if known[name] is not nodes[0]]
    parts = [_text(each, lines) for each in sorted(dict.fromkeys(needed), key=lambda each: each.lineno)]
    whole = "\n\n".join([*(part for part in parts if len(part) < LONGEST // 3), own])
    return whole if len(whole) <= LONGEST and whole.count("\n") <= MOST_LINES and whole.isascii() else own


def _text(node: ast.stmt, lines: Sequence[str], *, docstring: bool = True) -> str:
    """The text of a statement without indentation, its docstring shortened or removed."""
    first, last = node.lineno, node.end_lineno or node.lineno
    kept = list(lines[first - 1 : last])
    if isinstance(node, ast.FunctionDef) and (docstring_text := ast.get_docstring(node)) is not None:
        own = node.body[0]
        if not docstring or len(docstring_text) > LONGEST_DOCSTRING or "\n" in docstring_text:
            line = docstring_text.split("\n")[0][:LONGEST_DOCSTRING].replace("\\", "").replace('"', "'")
            text = f'{" " * own.col_offset}"""{line}"""\n' if docstring else ""
            kept[own.lineno - first : (own.end_lineno or own.lineno) - first + 1] = [text]
    margin = len(kept[0]) - len(kept[0].lstrip(" "))
    return "".join(line[margin:] if line[:margin].isspace() or not margin else line.lstrip() for line in kept)


def _weight(nodes: Sequence[ast.AST]) -> float:
    """How plain a function is: the squared share of its names that are its own or builtins."""
    own = {each.arg for each in nodes if isinstance(each, ast.arg)} - {"self", "cls"}
    own |= {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    read = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    plain = sum(name in own or name in _BUILTIN for name in read)
    foreign = len(read) - plain + sum(isinstance(each, ast.Attribute) for each in nodes)
    loops = any(isinstance(each, ast.For | ast.While | ast.comprehension) for each in nodes)
    return round((0.1 + (plain / max(1, plain + foreign)) ** 2) * (2.0 if loops else 1.0), 3)


def rows_of(path: Path, *, least: float = 0.0) -> list[CorpusRow]:
    """The functions of one folder, archive or file with at least that weight."""
    return [row for text in texts_in(path) for row in functions_of(text, least=least)]


def distinct(rows: Iterable[CorpusRow], shapes: set[bytes], names: frozenset[str] = frozenset()) -> Iterator[CorpusRow]:
    """Functions with a new shape and a name not in `names`; their shapes are added to `shapes`."""
    for row in rows:
        if row.shape not in shapes and row.name not in names:
            shapes.add(row.shape)
            yield row


def main(arguments: Sequence[str] | None = None) -> int:
    """Collect the functions, write them and print their number; returns 0."""
    options = _options().parse_args(arguments)
    paths = [path for path in options.paths if not options.permissive or is_permissive(licences_of(path))]
    known = shapes_in(options.without)
    count, read = 0, partial(rows_of, least=options.least)
    with (lzma.open if options.out.suffix == ".xz" else open)(options.out, "wt", encoding="utf-8") as file:
        for rows in map_calls(read, paths, Placement(options.jobs)):
            for row in distinct(rows, known.shapes, known.names):
                file.write(json.dumps({"source": row.source, "weight": row.weight}) + "\n")
                count += 1
    print_line(f"{count} functions of {len(paths)} of {len(options.paths)} paths")
    return 0


def _options() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m cwm_agent.training.policy.corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("paths", nargs="+", type=Path, help="folders, wheels, source archives, files")
    command.add_argument(
        "--out", type=Path, required=True, help="file to write, one row per function; .xz is compressed"
    )
    command.add_argument(
        "--permissive", action="store_true", help="only packages whose metadata name a permissive licence"
    )
    command.add_argument("--least", type=float, default=0.0, help="smallest weight of a function, from 0 to 1")
    command.add_argument("--without", type=Path, nargs="+", default=[], help="tasks whose functions are left out")
    command.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    return command


if __name__ == "__main__":
    sys.exit(main())

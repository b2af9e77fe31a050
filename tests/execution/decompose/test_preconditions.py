"""A rewriting that a program's precondition skips would have left that program as it is."""

import ast
import copy
from collections.abc import Iterator
from pathlib import Path

import pytest

from envs.execution.decompose.rewrites.preconditions import occurrences
from envs.execution.decompose.rewrites.whole_programs import REWRITINGS

FOLDER = Path(__file__).parent.parent / "programs"


def programs(path: Path) -> Iterator[ast.Module]:
    """The programs of a file of tests: behind lines `### name`, or texts of a Python module that define a function."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        sources = [case.partition("\n")[2] for case in text.removeprefix("### ").split("\n### ")]
    else:
        constants = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
        sources = [node.value for node in constants if isinstance(node.value, str) and "def " in node.value]
    for source in sources:
        try:
            yield ast.parse(source)
        except SyntaxError:
            continue


def written(tree: ast.Module) -> str:
    return ast.dump(tree, include_attributes=True)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*_*.*")), ids=lambda path: path.name)
def test_a_rewriting_changes_no_program_without_what_it_needs(path: Path) -> None:
    for tree in programs(path):
        occurring, text, skipped = occurrences(tree), written(tree), copy.deepcopy(tree)
        for rewriting in REWRITINGS:
            if not rewriting.may_apply(occurring):
                skipped = rewriting.rewrite(skipped, "f")
                continue
            assert written(skipped) == text
            before, tree = tree, rewriting.rewrite(tree, "f")
            now = written(tree)
            assert tree is not before or rewriting.in_place or now == text, rewriting.needs
            occurring, text, skipped = occurrences(tree), now, copy.deepcopy(tree)
        assert written(skipped) == text


def test_every_rewriting_applies_to_some_program() -> None:
    """So the test above says something about each of them."""
    occurring = [occurrences(tree) for path in FOLDER.glob("*_*.*") for tree in programs(path)]
    assert all(any(map(rewriting.may_apply, occurring)) for rewriting in REWRITINGS)


def test_what_occurs_is_found_wherever_it_is_written() -> None:
    tree = ast.parse("import a.b\nfrom c.d import e as g\n@h\ndef i(j):\n    return k.m(n=lambda: 0)\n")
    words = {each for each in occurrences(tree) if isinstance(each, str)}
    assert words == {"a", "a.b", "c", "e", "h", "i", "@def", "k", "m", "n"}
    assert {ast.Lambda, ast.FunctionDef, ast.alias} <= occurrences(tree)

"""Caches are bounded in bytes: one that is full starts again, a hit calls nothing, and the docs say each bound."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from envs.bounded_cache import BOUNDS, ENTRY_BYTES, MIB, bounded_cache, characters, empty_caches

ROOT = Path(__file__).parents[2]
FEW = 1_024
"""Entries up to which a plain `lru_cache` is left, for functions whose entries are small."""


def test_a_hit_does_not_call_the_function() -> None:
    calls = []

    @bounded_cache(1 * MIB)
    def double(text: str) -> str:
        calls.append(text)
        return text * 2

    assert (double("ab"), double("ab"), double("c")) == ("abab", "abab", "cc")
    assert calls == ["ab", "c"]


def test_entries_are_dropped_when_their_estimate_exceeds_the_bound() -> None:
    @bounded_cache(100_000, per_character=10)
    def length(text: str) -> int:
        return len(text)

    for number in range(200):
        length(f"{number:0>900}")
        assert length.cache_info().currsize * (ENTRY_BYTES + 9_000) <= 100_000 + ENTRY_BYTES + 9_000
    assert length("x" * 10**6) == 10**6
    assert length.cache_info().currsize == 1, "an entry above the bound is alone"


def test_emptied_caches_compute_again_and_keep_their_bound() -> None:
    calls = []

    @bounded_cache(4 * ENTRY_BYTES)
    def number(text: str) -> int:
        calls.append(text)
        return len(calls)

    assert [number(text) for text in "aba"] == [1, 2, 1]
    empty_caches()
    assert number.cache_info().currsize == 0
    assert [number(text) for text in "aba"] == [3, 4, 3], "an emptied cache holds as much as a new one"


def test_an_error_is_not_cached_and_costs_nothing() -> None:
    @bounded_cache(1 * MIB)
    def fail(text: str) -> str:
        raise ValueError(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="x"):
            fail("x")


@pytest.mark.parametrize(
    ("value", "count"), [("abc", 3), (("a", ("bc", "d")), 4), (frozenset({"ab"}), 2), (7, 1), (None, 1)]
)
def test_characters_of_texts_and_tuples(value: object, count: int) -> None:
    assert characters(value) == count


def _decorated(path: Path) -> list[tuple[str, str, ast.Call]]:
    """The functions of a module that a call decorates: name, decorator, call."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.name, call.func.id, call)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for call in node.decorator_list
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    ]


MODULES = [
    path
    for package in ("cwm_agent", "envs", "planners", "tasks")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "training" not in path.parts
]


def test_no_cache_of_many_entries_is_bounded_by_entries_alone() -> None:
    """Training is left out: it is a run of its own, over programs of its own."""
    large = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in MODULES
        for name, decorator, call in _decorated(path)
        if decorator == "lru_cache"
        for option in call.keywords
        if option.arg == "maxsize" and isinstance(option.value, ast.Constant) and int(option.value.value or 0) > FEW
    ]
    assert not large


def test_the_docs_list_every_bound() -> None:
    """The table of docs/memory.md: the function, and its bound in MiB."""
    for path in MODULES:
        if any(decorator == "bounded_cache" for _, decorator, _ in _decorated(path)):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    text = (ROOT / "docs" / "memory.md").read_text(encoding="utf-8")
    listed = {name: int(bound) for name, bound in re.findall(r"^\| `([\w.]+)` \| (\d+) \|", text, re.MULTILINE)}
    ours = {name: bound // MIB for name, bound in BOUNDS.items() if not name.startswith("test")}
    of_instances = {name for name in listed if name.endswith("._tokenized")}
    assert {name: bound for name, bound in listed.items() if name not in of_instances - ours.keys()} == ours

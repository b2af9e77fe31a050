"""Inputs by type (Hypothesis) and by symbolic execution (CrossHair), and the choice among patches that uses them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.solve import main
from envs.domains.inputs.argument_types import type_of
from envs.domains.inputs.symbolic_inputs import SymbolicInputs, _arguments
from envs.domains.inputs.typed_inputs import strategy_of, typed_inputs
from envs.errors import MissingExtra
from tasks import read_value

OVER = "def f(xs, k):\n    total = 0\n    for x in xs:\n        if x > k:\n            total += x\n    return total\n"
TYPES = (("xs", "list[int]"), ("k", "int"))


@pytest.fixture(scope="module")
def symbolic() -> Iterator[SymbolicInputs]:
    with SymbolicInputs(seconds=3.0) as made:
        yield made


@given(st.data())
@pytest.mark.parametrize(
    "annotation",
    [
        "int",
        "float",
        "bool",
        "str",
        "bytes",
        "None",
        "list[int]",
        "dict[str, int]",
        "tuple[int, str]",
        "tuple[int, ...]",
    ],
)
def test_a_drawn_value_has_the_type_it_was_drawn_for(annotation: str, data: st.DataObject) -> None:
    value = data.draw(strategy_of(annotation))
    empty = value in ([], (), {}) or annotation == "tuple[int, ...]"
    assert empty or type_of([value]) == annotation


def test_inputs_of_given_types_are_calls_without_repetition_and_the_same_for_the_same_seed() -> None:
    found = typed_inputs(TYPES, 16, seed=3)
    assert len(set(found)) == len(found) == 16
    assert found == typed_inputs(TYPES, 16, seed=3)
    assert all(each.startswith("xs=[") and ", k=" in each for each in found)
    assert typed_inputs((), 16, seed=3) == []


def test_two_programs_that_differ_at_an_edge_are_told_apart(symbolic: SymbolicInputs) -> None:
    """The programs differ where an item equals `k`: among arbitrary integers hardly any input shows it."""
    found = symbolic.differing(OVER, OVER.replace("x > k", "x >= k"), "f", TYPES)
    assert found
    space: dict[str, object] = {}
    for name, source in (("one", OVER), ("other", OVER.replace("x > k", "x >= k"))):
        exec(source.replace("def f", f"def {name}"), space)
    assert any(eval(f"one({each}) != other({each})", space) for each in found)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(OVER.replace("total += x", "total = total + x"), id="the same program in other words"),
        pytest.param("import os\ndef f(xs, k):\n    os._exit(3)\n", id="a program that ends its process"),
        pytest.param("def f(xs, k):\n    while True: pass\n", id="a program that never halts"),
        pytest.param("def g(): ...\n", id="a program without the function"),
    ],
)
def test_what_shows_no_difference_gives_no_input(symbolic: SymbolicInputs, other: str) -> None:
    assert symbolic.differing(OVER, other, "f", TYPES) == []


@pytest.mark.parametrize(
    "row", [[], {"xs": "[1]"}, {"xs": "[1]", "k": 1}, {"xs": "[1]", "k": "open('x')"}, {"xs": "[1]", "k": "1" * 500}]
)
def test_a_forged_answer_of_the_search_is_no_input(row: object) -> None:
    assert _arguments(row, TYPES) is None


def test_a_patch_that_differs_from_another_at_an_edge_is_ambiguous(tmp_path: Path) -> None:
    """Both `>` and `>=` pass the tests; the episode shows an input that tells them apart."""
    from cwm_agent.agent.repair.repair_kind import RepairKind
    from tasks import CallTest, RepairTask

    source = "def big(x, y):\n    return x < y\n"
    tests = tuple(CallTest(*each) for each in [("900, 2", "True"), ("2, 900", "False"), ("700, 30", "True")])
    settings = Settings(oracle="exact", ceiling=True, policy="none", inputs="symbolic", budget=Budget(executions=30))
    with Workplace(settings) as workplace:
        episode = workplace.solve(RepairKind(), RepairTask("big", source, "big", tests))
    assert episode.solved
    assert episode.settings["inputs"] == "symbolic"
    assert episode.difference, episode.patch
    [x, y] = [read_value(part.split("=")[-1]) for part in str(episode.difference["arguments"]).split(", ")]
    assert x == y


def test_without_the_extra_the_option_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("envs.domains.inputs.typed_inputs.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"cwm-agent\[symbolic\]"):
        Settings(inputs="typed")
    monkeypatch.chdir(tmp_path)
    assert main(["repair", "--limit", "1", "--inputs", "symbolic"]) == 2
    assert "pip install 'cwm-agent[symbolic]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())

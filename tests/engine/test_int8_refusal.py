"""int8 is left out cleanly where the processor lacks its instructions or the library was not built."""

import pytest

from cwm_agent.engine import engine, precision, tree_scoring
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.precision import chosen_types
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.engine.tree_scoring import TreeScorer
from tests.random_networks import random_model

SHAPE = shape_of_size("tiny")


@pytest.fixture(autouse=True)
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (precision, engine, tree_scoring):
        monkeypatch.setattr(module, "native_library", lambda: None)


def test_auto_is_another_type_and_the_name_is_refused() -> None:
    assert not chosen_types("auto", "cpu", SHAPE).int8
    with pytest.raises(ValueError, match="int8 needs Linux on ARM or on x86"):
        chosen_types("int8", "cpu", SHAPE)


def test_the_engine_and_the_scorer_compute_by_torch() -> None:
    used = Engine(random_model())
    assert not used.forward_pass.is_native
    assert all(each.tokens for each in used.complete([Prompt(b"v0 = v1 + 3")], max_tokens=5))
    scorer = TreeScorer(random_model())
    assert len(scorer.score(scorer.encode(b"a"), [b"b", b"c"])) == 2

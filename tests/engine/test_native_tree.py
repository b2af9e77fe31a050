"""Trees by the library: the same numbers as by the engine, one token at a time or all at once.

Collected where the library was built and the processor has its instructions (`conftest.py`).
"""

import random

import numpy as np
import pytest

from cwm_agent.engine import tree_scoring
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.native import native_tree
from cwm_agent.engine.native.native_pass import native_library
from cwm_agent.engine.native.native_tree import NativeTreePass
from cwm_agent.engine.token_tree import TokenTree
from cwm_agent.engine.tree_scoring import TreeScorer
from tests.random_networks import random_model

CONTEXT = b"1 x += 3\n2 y = x\n3 return y\n"
COMPLETIONS = [b"", b"2 x=3", b"2 x=4", b"y=4", b"hello world", b"2 x=3 and more", b"2 x=3 and much more than that"]


def drawn_tree(nodes: int, seed: int) -> TokenTree:
    tree, draw = TokenTree(), random.Random(seed)
    tree.add(-1, 257)
    while len(tree.tokens) < nodes:
        tree.add(draw.choice([len(tree.tokens) - 1, draw.randrange(len(tree.tokens))]), draw.randrange(256))
    return tree


@pytest.mark.parametrize("context", [b"", CONTEXT])
def test_scores_equal_those_of_the_engine(context: bytes) -> None:
    model = random_model(2)
    scorer = TreeScorer(model, precision="int8")
    expected = Engine(model, precision="int8").score([Prompt(b"", context)] * len(COMPLETIONS), COMPLETIONS)
    found = scorer.score(scorer.encode(context), COMPLETIONS)
    assert found == pytest.approx([each.logprob for each in expected], rel=1e-4)


def test_a_tree_that_grows_has_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is no room behind the prompt at first, and where nodes were forgotten."""
    monkeypatch.setattr(native_tree, "ROOM", 8)
    passes, tree = NativeTreePass(native_library(), random_model(4).parameters), drawn_tree(90, seed=1)
    prompt = passes.encode(list(CONTEXT))
    whole = passes.behind(prompt).forward(tree, 0)
    growing, parts, first = passes.behind(prompt), [], 0
    for end in (1, 2, 40, 90):
        part = TokenTree(tree.tokens[:end], tree.parents[:end], tree.depths[:end])
        parts.append(growing.forward(part, first))
        first = end
    assert np.allclose(np.concatenate(parts), whole, atol=1e-4)
    pruned, kept = tree.pruned([70, 80])
    growing.keep(list(kept))
    leaf = pruned.extend(kept[80], [5, 6])
    last = growing.forward(pruned, len(kept))[-1]
    line = TokenTree()
    line.extend(-1, [pruned.tokens[node] for node in pruned.path(leaf)])
    assert np.allclose(passes.behind(prompt).forward(line, 0)[-1], last, atol=1e-4)


def test_beam_search_gives_the_scores_of_what_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = TreeScorer(random_model(2), precision="int8")
    prompt = scorer.encode(CONTEXT)
    found = scorer.beam_search(prompt, 4, max_tokens=12)
    monkeypatch.setattr(tree_scoring, "MAX_TREE_TOKENS", 8)
    assert scorer.score(prompt, [each.text for each in found]) == pytest.approx(
        [each.logprob for each in found], rel=1e-3
    )

"""Beginnings that were read: found by any text that begins so, bounded, and never a reason for another answer."""

from itertools import islice

import pytest
import torch
from rough_networks import rough_model, rough_network

from cwm_agent.engine import scheduler as rounds_module
from cwm_agent.engine.continuous_batching import Completion, Prompt
from cwm_agent.engine.engine import Engine, Sizes
from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache, Reading
from cwm_agent.engine.prefix_cache import PrefixCache, ReadPrefix
from cwm_agent.training.steps.copy_task import additions

TEXT = [5, 6, 7, 8, 9, 10, 11, 12]
SMALL = Sizes(rows=256, read_at_once=512, remembered=65_536, guessed=256, known=40_000)


@pytest.fixture
def reader() -> ForwardPass:
    return ForwardPass(rough_network(), dtype=torch.float32, device=torch.device("cpu"))


def prefixes(reader: ForwardPass, tokens: int) -> PrefixCache:
    found = PrefixCache(reader.shape, tokens, dtype=torch.float32, device=torch.device("cpu"))
    found.begin()
    return found


def read(reader: ForwardPass, text: list[int]) -> tuple[KVCache, Reading]:
    memory = reader.memory(1, len(text))
    return memory, reader.read([text], memory, slice(0, 1))


def keep(found: PrefixCache, reader: ForwardPass, text: list[int]) -> None:
    found.keep(*read(reader, text), [ReadPrefix(0, 0, [], text)])


@pytest.mark.parametrize("length", range(len(TEXT)))
def test_a_text_goes_on_from_any_token_where_it_parts_from_an_old_one(reader: ForwardPass, length: int) -> None:
    """What is read behind a known beginning is what a fresh reading of the whole gives."""
    found, text = prefixes(reader, 20), [*TEXT[:length], 33, 34]
    keep(found, reader, TEXT)
    known = found.find(text)
    assert len(known) == length
    memory = reader.memory(1, 1)
    memory.make_room(len(text))
    memory.drop(0)
    memory.begin([length])
    found.recall(memory, 0, [known], [0])
    stream = reader.read([text[length:]], memory, slice(0, 1)).stream
    torch.testing.assert_close(stream, read(reader, text)[1].stream[length:], atol=1e-4, rtol=1e-4)


def test_equal_beginnings_are_kept_once(reader: ForwardPass) -> None:
    found = prefixes(reader, 20)
    keep(found, reader, TEXT)
    keep(found, reader, [*TEXT[:5], 70])
    assert len(found) == len(TEXT) + 1


def test_what_was_not_used_for_longest_is_forgotten_and_room_can_be_made(reader: ForwardPass) -> None:
    """What is in use stays; where all is, nothing more is kept."""
    found = prefixes(reader, 9)
    keep(found, reader, TEXT[:4])
    found.begin()
    keep(found, reader, [20, 21, 22, 23])
    found.begin()
    found.find(TEXT[:4])
    keep(found, reader, [30, 31, 32, 33, 34, 35])
    assert found.find(TEXT[:4])
    assert not found.find([20])
    assert len(found.find([30, 31, 32, 33, 34, 35])) == 5
    found.make_room(11)
    keep(found, reader, [30, 31, 32, 33, 34, 35])
    assert len(found.find([30, 31, 32, 33, 34, 35])) == 6


def test_an_interrupt_while_keeping_leaves_nothing_half_known(reader: ForwardPass) -> None:
    found = prefixes(reader, 20)
    memory, reading = read(reader, TEXT)
    with pytest.raises(IndexError):
        found.keep(memory, reading._replace(order=reading.order[:2]), [ReadPrefix(0, 0, [], TEXT)])
    assert not found.find(TEXT)
    keep(found, reader, TEXT)
    assert len(found.find(TEXT)) == len(TEXT)


CONTEXTS = (b"", b"a program\nof two lines", b"a program\nof three")
QUERIES = [
    Prompt(each.query + end, context)
    for context in CONTEXTS
    for each in islice(additions(1), 3)
    for end in (b"", b"1", b"12")
]


@pytest.fixture(scope="module")
def alone() -> dict[Prompt, Completion]:
    """What a new engine says to each."""
    return {
        query: Engine(rough_model(), precision="fp32", sizes=SMALL).answer([query], limit=6)[0] for query in QUERIES
    }


@pytest.mark.parametrize(
    ("worth", "sizes"),
    [
        pytest.param(1, None, id="always wait"),
        pytest.param(8, None, id="as it is"),
        pytest.param(8, SMALL, id="little room"),
        pytest.param(1_000, SMALL, id="never wait"),
    ],
)
def test_beginnings_change_no_answer(
    monkeypatch: pytest.MonkeyPatch, alone: dict[Prompt, Completion], sizes: Sizes | None, worth: int
) -> None:
    """Questions with beginnings and contexts in common get the answers that each gets alone from a new engine."""
    monkeypatch.setattr(rounds_module, "WORTH_WAITING", worth)
    engine = Engine(rough_model(), precision="fp32", sizes=sizes)
    for asked in (QUERIES[::2], QUERIES[::-1]):
        found = engine.answer(asked, limit=6)
        assert [each.text for each in found] == [alone[query].text for query in asked]
        assert [each.logprob for each in found] == pytest.approx([alone[query].logprob for query in asked], abs=1e-3)

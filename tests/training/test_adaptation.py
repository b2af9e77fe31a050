"""Low-rank adapters: what they change, what an update may cost, and what their file refuses."""

from pathlib import Path

import pytest
import torch
from random_networks import random_network
from torch import Tensor

from cwm_agent.engine.network import Network
from cwm_agent.engine.tokenizer import BYTES
from cwm_agent.training.adaptation.adapter_file import AdapterRecord, BadAdapter, load_adapter, save_adapter
from cwm_agent.training.adaptation.low_rank import AdaptedNetwork, Adapter, AdapterShape, adapted_names, merged
from cwm_agent.training.adaptation.replay_examples import held_out_examples, replay_examples
from cwm_agent.training.adaptation.update import Updater, UpdateRecipe
from cwm_agent.training.example import Example
from cwm_agent.training.objective import Forward, layout_of
from cwm_agent.training.packing import pack

SHAPE = AdapterShape(rank=2, blocks=1)
RECIPE = UpdateRecipe(SHAPE, steps=1, new_examples=2, replayed=1, checked=2)
NEW = [Example(b"", b"v0 = v1 + v2\nv1=3 v2=4", b"v0=7", "sum"), Example(b"", b"v0 = v1\nv1=3", b"v0=3", "move")]


def logits(network: Forward) -> Tensor:
    fields = torch.from_numpy(pack(NEW, 96, BYTES)[:, None])
    tokens, layout = layout_of(fields)
    with torch.no_grad():
        return network(tokens, layout, kernel="sdpa", dtype=torch.float32)


def updated(network: Network, recipe: UpdateRecipe = RECIPE, seed: int = 3) -> tuple[Adapter, bool]:
    adapter = Adapter(network, recipe.shape, seed=0)
    return adapter, Updater(network, adapter, recipe).update(NEW, [], seed).kept


def test_a_new_adapter_changes_nothing() -> None:
    network = random_network()
    adapter = Adapter(network, SHAPE, seed=0)
    assert torch.equal(logits(AdaptedNetwork(network, adapter)), logits(network))


def test_one_step_changes_the_adapter_alone_and_merged_weights_give_the_same_logits() -> None:
    network = random_network()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    adapter, _ = updated(network, UpdateRecipe(SHAPE, steps=1, new_examples=2, replayed=1, checked=2, tolerance=2))
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    plain = merged(network, adapter)
    changed = {name for name, value in plain.state_dict().items() if not torch.equal(value, before[name])}
    assert changed == set(adapted_names(network, SHAPE))
    assert torch.allclose(logits(plain), logits(AdaptedNetwork(network, adapter)), atol=1e-5)
    assert not torch.allclose(logits(plain), logits(network))


def test_only_the_last_blocks_are_adapted() -> None:
    assert {name.split(".")[1] for name in adapted_names(random_network(), SHAPE)} == {"1"}
    assert {name.split(".")[1] for name in adapted_names(random_network(), AdapterShape(blocks=9))} == {"0", "1"}


def test_the_same_seed_gives_the_same_update() -> None:
    network = random_network()
    one, other = (updated(network)[0].state_dict() for _ in range(2))
    another = updated(network, seed=4)[0].state_dict()
    assert all(torch.equal(value, other[name]) for name, value in one.items())
    assert any(not torch.equal(value, another[name]) for name, value in one.items())


def test_an_update_that_loses_too_much_leaves_the_adapter_as_it_was() -> None:
    """A tolerance below zero asks for more right answers than before, which one step cannot give."""
    network = random_network()
    adapter, kept = updated(network, UpdateRecipe(SHAPE, steps=1, new_examples=2, replayed=1, checked=2, tolerance=-3))
    assert not kept
    assert torch.equal(logits(AdaptedNetwork(network, adapter)), logits(network))


def test_without_examples_nothing_is_trained() -> None:
    network = random_network()
    adapter = Adapter(network, SHAPE, seed=0)
    long = Example(b"", b"v0 = " + b"1" * 500, b"v0=1", "long")
    report = Updater(network, adapter, RECIPE).update([long], [], seed=0)
    assert (report.new, report.kept) == (0, True)
    assert torch.equal(logits(AdaptedNetwork(network, adapter)), logits(network))


def test_replay_repeats_by_its_seed_and_never_draws_what_is_held_out() -> None:
    assert replay_examples(5, 12) == replay_examples(5, 12) != replay_examples(6, 12)
    assert not set(replay_examples(5, 12)) & set(held_out_examples(12))
    assert {bool(each.context) for each in replay_examples(5, 60)} == {False, True}


def test_an_adapter_comes_back_from_its_file(tmp_path: Path) -> None:
    network = random_network()
    adapter, _ = updated(network)
    record = AdapterRecord("abc", 2, (*NEW, Example(b"", b"\xff\x00", "«é»".encode(), "bytes")))
    save_adapter(tmp_path / "adapter", adapter, record)
    again, known = load_adapter(tmp_path / "adapter", network, "abc")
    assert known == record
    assert all(torch.equal(value, adapter.state_dict()[name]) for name, value in again.state_dict().items())


def test_an_adapter_of_other_weights_is_refused(tmp_path: Path) -> None:
    network = random_network()
    save_adapter(tmp_path / "adapter", Adapter(network, SHAPE, 0), AdapterRecord("abc"))
    with pytest.raises(BadAdapter, match="adapts other weights"):
        load_adapter(tmp_path / "adapter", network, "def")


def test_a_damaged_adapter_is_refused(tmp_path: Path) -> None:
    network, path = random_network(), tmp_path / "adapter"
    save_adapter(path, Adapter(network, SHAPE, 0), AdapterRecord("abc"))
    whole = path.read_bytes()
    for data in (b"", b"nothing", whole[: len(whole) // 2], whole[:-4]):
        path.write_bytes(data)
        with pytest.raises(BadAdapter, match="holds no adapter"):
            load_adapter(path, network, "abc")


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    network, path = random_network(), tmp_path / "adapter"
    adapter = Adapter(network, SHAPE, 0)
    with torch.no_grad():
        next(adapter.parameters())[0, 0] = float("nan")
    save_adapter(path, adapter, AdapterRecord("abc"))
    with pytest.raises(BadAdapter, match="not finite"):
        load_adapter(path, network, "abc")

"""Models on disk."""

import errno
import gc
import itertools
import json
import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch
from random_networks import random_network

from cwm_agent.engine import weights
from cwm_agent.engine.heavy_imports import without_collections
from cwm_agent.engine.layer_parameters import NetworkParameters, layer_parameters
from cwm_agent.engine.network import Network
from cwm_agent.engine.weights import WeightsError, load, save
from tasks.output.atomic_file import WriteError


def test_a_loaded_network_equals_the_saved_one_in_bf16(tmp_path: Path) -> None:
    """Weights survive to bf16 accuracy, and a second round trip changes nothing."""
    network = random_network()
    save(network, tmp_path / "a", {"note": "first"})
    once = load(tmp_path / "a")
    save(once.network, tmp_path / "b", {})
    twice = load(tmp_path / "b")
    for name, tensor in once.network.state_dict().items():
        assert torch.equal(tensor, network.state_dict()[name].bfloat16().float())
        assert torch.equal(tensor, twice.network.state_dict()[name])
    assert once.card["note"] == "first"
    assert once.fingerprint == twice.fingerprint


def test_rounded_matrices_have_255_steps(tmp_path: Path) -> None:
    """No number is further off than half a step of its output, and a second round trip changes none."""
    network = random_network()
    save(network, tmp_path / "a", {}, rounded=True)
    once = load(tmp_path / "a")
    save(once.network, tmp_path / "b", {}, rounded=True)
    twice = load(tmp_path / "b").network.state_dict()
    for name, tensor in once.network.state_dict().items():
        exact = network.state_dict()[name]
        steps = exact.abs().amax(-1, keepdim=True) / 127
        assert bool(((tensor - exact).abs() <= steps / 2 + exact.abs() / 256).all())
        assert torch.equal(tensor, twice[name])
    assert 1.4 * _bytes_of(tmp_path / "a") < _bytes_of_unrounded(network, tmp_path / "c")


@pytest.mark.parametrize("size", ["tiny", "2x256x2"])
def test_stored_steps_are_those_of_the_exact_matrices(tmp_path: Path, size: str) -> None:
    """The library takes steps and scales from the file, with the same bits as if it rounded the matrices anew."""
    save(random_network(size=size), tmp_path, {}, rounded=True)
    stored = load(tmp_path).parameters
    exact = NetworkParameters.of(load(tmp_path).network)
    for layer in range(stored.shape.layers):
        ours, theirs = (layer_parameters(each, layer) for each in (stored, exact))
        for one, other in zip(ours.matrices, theirs.matrices, strict=True):
            assert one.scales is not None
            assert other.scales is None
            assert np.array_equal(one.exact(), other.exact())
            assert all(map(np.array_equal, one.rounded(), other.rounded()))


def _bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def _bytes_of_unrounded(network: Network, folder: Path) -> int:
    save(network, folder, {})
    return _bytes_of(folder)


def test_shards_stay_below_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several shards are written and read where one would be too large."""
    monkeypatch.setattr(weights, "SHARD_BYTES", 70_000)
    save(random_network(), tmp_path, {})
    files = sorted(tmp_path.glob("*.safetensors"))
    assert len(files) > 2
    assert max(file.stat().st_size for file in files) < 75_000
    load(tmp_path)


def test_other_weights_have_another_fingerprint(tmp_path: Path) -> None:
    """Caches can use it as a key."""
    for seed in (0, 1):
        save(random_network(seed), tmp_path / str(seed), {})
    assert load(tmp_path / "0").fingerprint != load(tmp_path / "1").fingerprint


def _shard(folder: Path) -> Path:
    (path,) = folder.glob("weights-1-*.safetensors")
    return path


def _flip_a_byte(folder: Path) -> None:
    path = _shard(folder)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))


def _age(folder: Path) -> None:
    manifest = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(manifest | {"format": 0}))


def _rewrite(**fields: object) -> object:
    """A damage that writes other fields into the manifest."""

    def damage(folder: Path) -> None:
        manifest = json.loads((folder / "model.json").read_text())
        (folder / "model.json").write_text(json.dumps(manifest | fields))

    return damage


def _more_tokens(folder: Path) -> None:
    """An encoding of more tokens than the network embeds."""
    manifest = json.loads((folder / "model.json").read_text())
    manifest["encoding"]["size"] = manifest["shape"]["vocabulary"] + 8
    (folder / "model.json").write_text(json.dumps(manifest))


def _fill_with_noise(folder: Path) -> None:
    data = b"no tensors" * 20
    (folder / "weights-1.safetensors").write_bytes(data)
    manifest = json.loads((folder / "model.json").read_text())
    manifest["shards"] = [{"file": "weights-1.safetensors", "sha256": sha256(data).hexdigest()}]
    (folder / "model.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(lambda folder: (folder / "model.json").unlink(), "no model in", id="no-card"),
        pytest.param(lambda folder: (folder / "model.json").write_text("{"), "damaged", id="card-cut"),
        pytest.param(_age, "in no format", id="old-format"),
        pytest.param(lambda folder: _shard(folder).unlink(), "incomplete", id="shard-missing"),
        pytest.param(_flip_a_byte, "checksum", id="shard-damaged"),
        pytest.param(_rewrite(shape={"layers": 2}), "describes no model", id="shape-cut"),
        pytest.param(_rewrite(shape={"layers": 1, "width": 64, "hidden": 192}), "not of the shape", id="other-shape"),
        pytest.param(_rewrite(encoding={"pad": 3}), "describes no model", id="bad-encoding"),
        pytest.param(_rewrite(shards=[{}]), "describes no model", id="shards-cut"),
        pytest.param(_more_tokens, "more tokens than its network", id="tokens"),
        pytest.param(_rewrite(shards=[{"file": "../a", "sha256": ""}]), "incomplete", id="shard-elsewhere"),
        pytest.param(_fill_with_noise, "holds no weights", id="no-tensors"),
    ],
)
def test_missing_or_damaged_weights_say_what_to_do(tmp_path: Path, damage: object, message: str) -> None:
    """One sentence on what happened, one on what to do."""
    save(random_network(), tmp_path, {})
    damage(tmp_path)  # type: ignore[operator]
    with pytest.raises(WeightsError, match=message) as caught:
        load(tmp_path)
    assert "pip install" in str(caught.value)


def test_the_garbage_collector_rests_inside_the_block_only() -> None:
    """A collector that was off stays off."""
    with without_collections():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with without_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_full_disk_leaves_the_old_model_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    """Whichever shard, or the card, cannot be written; saving again later succeeds and removes what is of no use."""
    monkeypatch.setattr(weights, "SHARD_BYTES", 140_000)
    save(random_network(0), tmp_path, {})
    old = load(tmp_path).fingerprint
    real, calls = getattr(os, call), itertools.count(1)

    def full(*given: object, **options: object) -> object:
        if call == "open" and not given[1] & os.O_CREAT:  # type: ignore[operator]
            return real(*given, **options)
        if next(calls) >= number:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*given, **options)

    monkeypatch.setattr(os, call, full)
    with pytest.raises(WriteError, match="No space left"):
        save(random_network(1), tmp_path, {})
    monkeypatch.setattr(os, call, real)
    assert load(tmp_path).fingerprint == old
    save(random_network(1), tmp_path, {})
    assert load(tmp_path).fingerprint != old
    named = {shard["file"] for shard in json.loads((tmp_path / "model.json").read_text())["shards"]}
    assert {path.name for path in tmp_path.iterdir()} == {"model.json", *named}


def test_weights_that_did_not_change_are_not_written_again(tmp_path: Path) -> None:
    network = random_network()
    save(network, tmp_path, {"note": "first"})
    before = {path.name: path.stat().st_ino for path in tmp_path.glob("*.safetensors")}
    save(network, tmp_path, {"note": "second"})
    assert {path.name: path.stat().st_ino for path in tmp_path.glob("*.safetensors")} == before
    assert load(tmp_path).card["note"] == "second"

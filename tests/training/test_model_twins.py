"""Twins of equal size: chains of operations, tokens, masks and forward passes; nothing is trained here."""

import json
from itertools import islice
from pathlib import Path

import pytest
import torch

from benchmarks import model_ladder, model_twins
from benchmarks.model_twins import ARMS, TwinArm, measured, row_of
from benchmarks.twin_parts.network_training import batch_of, loss_of
from benchmarks.twin_parts.operation_chains import KINDS, OperationChain, chains, held_out
from benchmarks.twin_parts.sequence_networks import (
    HEAD,
    BadTwin,
    Mixer,
    Mixing,
    TwinNetwork,
    TwinShape,
    count,
    matched,
    state_numbers,
)
from benchmarks.twin_parts.token_codecs import ByteCodec, PairCodec, TokenCodec
from benchmarks.twin_parts.token_rows import END
from cwm_agent.studies.workbench import Workbench

CHAIN = OperationChain("string", "'tram'", ("x.upper()", "x+'s'", "x[::-1]"), ("upper", "append", "reverse"),
                       ("'TRAM'", "'TRAMs'", "'sMART'"))  # fmt: skip
MIXINGS: tuple[Mixing, ...] = ("attention", "recurrence")


def pairs() -> PairCodec:
    return PairCodec.learnt((each.question + each.answer(1) for each in islice(chains(1), 200)), size=400)


def test_chains_are_the_same_for_a_seed_and_their_frames_are_pythons() -> None:
    first = list(islice(chains(3), 60))
    assert first == list(islice(chains(3), 60))
    assert {each.kind for each in first} == set(KINDS)
    for each in first:
        value = eval(each.first)  # our own text
        for operation, frame in zip(each.operations, each.frames, strict=True):
            value = eval(operation, {"x": value})
            assert repr(value) == frame


def test_held_out_chains_have_one_depth_and_are_not_drawn_in_training() -> None:
    found = held_out("list", 3, 20)
    assert {(each.kind, each.depth) for each in found} == {("list", 3)}
    assert not set(found) & set(islice(chains(0), 500))


@pytest.mark.parametrize(
    ("every", "answer"), [(1, "'TRAM'|'TRAMs'|'sMART'"), (2, "'TRAMs'|'sMART'"), (3, "'sMART'"), (0, "'sMART'")]
)
def test_a_sparse_trace_leaves_frames_out_and_never_the_last(every: int, answer: str) -> None:
    assert CHAIN.answer(every) == answer
    assert CHAIN.question == "x='tram'|x=x.upper()|x=x+'s'|x=x[::-1]>"


@pytest.mark.parametrize("codec", [ByteCodec(), pairs()], ids=["bytes", "pairs"])
def test_tokens_become_the_same_text_again_and_frames_keep_their_places(codec: TokenCodec) -> None:
    row = row_of(CHAIN, codec, 1)
    assert codec.text(row.ids[: row.answer]) == CHAIN.question
    assert codec.text(row.ids[row.answer :]) == CHAIN.answer(1)
    assert codec.text(row.ids[row.last :]) == "'sMART'"
    assert row.ids[-1] == END


def test_byte_pairs_need_fewer_tokens_than_bytes() -> None:
    assert len(pairs().ids(CHAIN.question)) < len(ByteCodec().ids(CHAIN.question))


def test_the_loss_weighs_answers_fully_questions_little_and_padding_not_at_all() -> None:
    rows = [row_of(CHAIN, ByteCodec(), 1), row_of(held_out("integer", 1, 1)[0], ByteCodec(), 1)]
    ids, weights = batch_of(rows, 512)
    for number, row in enumerate(rows):
        assert weights[number, : row.answer - 1].tolist() == pytest.approx([0.1] * (row.answer - 1))
        assert set(weights[number, row.answer - 1 : len(row.ids) - 1].tolist()) == {1.0}
        assert not weights[number, len(row.ids) - 1 :].any()
        assert not ids[number, len(row.ids) :].any()


@pytest.mark.parametrize("mixing", MIXINGS)
def test_a_later_token_changes_nothing_before_it(mixing: Mixing) -> None:
    torch.manual_seed(0)
    network = TwinNetwork(TwinShape(mixing, 40, layers=2, width=64, hidden=32, longest=16))
    ids = torch.randint(0, 40, (2, 9))
    other = ids.clone()
    other[:, 6:] = (ids[:, 6:] + 1) % 40
    before, after = network(ids), network(other)
    assert torch.allclose(before[:, :6], after[:, :6], atol=1e-5)
    assert not torch.allclose(before[:, 6:], after[:, 6:], atol=1e-3)


def test_the_recurrence_at_once_equals_the_recurrence_step_by_step() -> None:
    torch.manual_seed(1)
    mixer = Mixer(TwinShape("recurrence", 10, width=64))
    values = torch.randn(2, 7, 64)
    state = torch.zeros(2, 2, HEAD, HEAD)
    steps = []
    for at in range(7):
        state, found = mixer.recurrent_step(state, values[:, at])
        steps.append(found)
    assert torch.allclose(mixer(values), torch.stack(steps, dim=1), atol=1e-4)


@pytest.mark.parametrize("vocabulary", [258, 1024])
@pytest.mark.parametrize("mixing", MIXINGS)
def test_twins_have_equally_many_parameters(vocabulary: int, mixing: Mixing) -> None:
    wanted = count(TwinShape("attention", 258))
    shape = matched(TwinShape(mixing, vocabulary), wanted)
    real = sum(each.numel() for each in TwinNetwork(shape).parameters())
    assert real == count(shape)
    assert abs(real - wanted) / wanted < 0.01


def test_twins_that_cannot_be_equal_are_refused() -> None:
    with pytest.raises(BadTwin, match="raise --layers"):
        matched(TwinShape("attention", 1024, layers=1, width=64), 100_000)


def test_the_state_of_attention_grows_with_the_tokens_and_that_of_the_recurrence_does_not() -> None:
    kept = {mixing: [state_numbers(TwinShape(mixing, 10), n) for n in (10, 100)] for mixing in MIXINGS}
    assert kept["attention"][1] == 10 * kept["attention"][0]
    assert kept["recurrence"][0] == kept["recurrence"][1]


def test_a_network_that_knows_nothing_is_counted_too() -> None:
    """All answers of an untrained network are wrong, and each failure names its operation."""
    network = TwinNetwork(TwinShape("attention", 258, layers=1, width=32, hidden=8))
    cells = measured(network, ARMS["bytes"], ByteCodec(), 2)
    assert len(cells) == 15
    assert all(cell["whole"] == 0 and sum(cell["failures"].values()) == 2 for cell in cells)
    ids, weights = batch_of([row_of(CHAIN, ByteCodec(), 1)], 512)
    assert loss_of(network, ids, weights).item() > 3


@pytest.mark.parametrize(("every", "at", "name"), [(1, 0, "upper"), (1, 7, "append"), (1, 99, "reverse"),
                                                    (2, 0, "upper+append"), (0, 0, "upper+append+reverse")])  # fmt: skip
def test_a_wrong_token_names_the_operations_behind_it(every: int, at: int, name: str) -> None:
    assert model_twins._operation_at(CHAIN, ByteCodec(), every, at) == name


def test_an_unknown_arm_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        model_twins.main(["--arms", "words", "--out", str(tmp_path / "out.json")])
    assert "no arm named 'words'" in capsys.readouterr().err
    assert TwinArm() == ARMS["bytes"]


def test_a_ladder_without_checkpoints_says_so_and_one_of_nothing_but_errors_has_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert model_ladder.main(["--out", str(tmp_path), "--measure-only"]) == 2
    assert "holds no checkpoint" in capsys.readouterr().err
    wrong = {
        "form": "straight",
        "swaps": 4,
        "free": 0,
        "forced": 0,
        "frames": 10,
        "action_errors": 10,
        "state_errors": 9,
    }
    row = {"survival": [wrong], "plans": [{"form": "straight", "distance": 1, "problems": 2, "first": 0}]}
    (tmp_path / model_ladder.FILE).write_text(json.dumps({"checkpoints": {"last": row}}))
    assert "| last | straight | 1.0000 | 0.9000 | 4: 0 | 4: 0 | 1: 0/2 |" in model_ladder.table(
        model_ladder.known(tmp_path)
    )


def test_a_stopped_measurement_of_a_ladder_goes_on_where_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.json").write_text("{}")
    made = {"form": "straight", "distance": 1, "problems": 2, "first": 2}
    row = {"survival": [], "plans": [made]}
    (tmp_path / model_ladder.FILE).write_text(json.dumps({"checkpoints": {tmp_path.name: row}}))
    asked = []

    def planned(bench: Workbench, form: str, distance: int, count: int, **_: float) -> dict[str, int] | None:
        asked.append((distance, form))
        return {"problems": count, "first": 0} if len(asked) < 3 else None

    monkeypatch.setattr(model_ladder, "planned", planned)
    assert model_ladder.main(["--out", str(tmp_path), "--measure-only", "--distances", "1,2", "--problems", "2"]) == 0
    assert asked == [(1, "branching"), (2, "straight"), (2, "branching")]
    plans = model_ladder.known(tmp_path)[tmp_path.name]["plans"]
    assert [(each["distance"], each["form"]) for each in plans] == [(1, "straight"), (1, "branching"), (2, "straight")]

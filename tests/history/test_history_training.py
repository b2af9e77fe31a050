"""Histories as training examples: they are whole real runs, differ, repeat by seed, and their errors are told apart."""

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from history_worlds import recorded

from cwm_agent import train
from cwm_agent.engine import weights
from cwm_agent.engine.network import Network
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.training.example import Example
from cwm_agent.training.steps import history_accuracy, history_examples
from cwm_agent.views.history.byte_marks import MARK_BYTES, answer, pieces_of, question
from cwm_agent.views.history.frame_format import Mark
from cwm_agent.views.history.history_state import standing_after


def examples(source: str, count: int, seed: int = 0) -> list[Example]:
    return list(islice(getattr(history_examples, source)(seed), count))


@pytest.mark.parametrize("source", ["swap_histories", "program_histories"])
def test_a_source_gives_the_same_by_seed_and_other_runs_by_another(source: str) -> None:
    first = examples(source, 12)
    assert first == examples(source, 12)
    assert not {example.query for example in first} & {example.query for example in examples(source, 12, seed=1)}


@pytest.mark.parametrize("source", ["swap_histories", "program_histories"])
def test_an_example_is_a_whole_run_that_fits_into_a_row(source: str) -> None:
    for example in examples(source, 40):
        assert len(example.query) + len(example.answer) <= history_examples.LONGEST_HISTORY
        pieces = list(pieces_of(example.answer))
        assert pieces[-1] is Mark.FRAME
        last = [piece for piece in pieces if isinstance(piece, Mark) and piece.value in ("return", "exception")]
        assert last


def test_swap_programs_are_straight_and_branching_and_no_longer_than_said() -> None:
    found = examples("swap_histories", 150)
    assert {"swaps straight plain", "swaps branching plain"} <= Counter(example.kind for example in found).keys()
    straight = [example for example in found if example.kind == "swaps straight plain"]
    swaps = [example.query.count(b" = ") for example in straight]
    assert min(swaps) >= history_examples.SHORTEST
    assert max(swaps) <= history_examples.LONGEST


def test_cases_of_one_length_are_held_out_and_really_run() -> None:
    cases = history_examples.swap_cases(24, 3)
    assert [len(history.frames) for _, history in cases] == [24 + 3] * 3  # the call, the return line and the return
    assert len({program.source for program, _ in cases}) == 3
    assert cases == history_examples.swap_cases(24, 3)


def test_every_byte_of_an_answer_is_action_or_state() -> None:
    _, real = recorded("def f(a):\n    return a\n", "1")
    told, parts, frames = history_accuracy.labelled(real)
    assert told == answer(real.frames[1:], standing_after(real.frames[:1]))
    actions = bytes(byte for byte, part in zip(told, parts, strict=True) if part == "action")
    states = bytes(byte for byte, part in zip(told, parts, strict=True) if part == "state")
    marks = {mark: bytes([value]) for mark, value in MARK_BYTES.items()}
    assert states == b'{"a": ".."}' + marks[Mark.ACTION] + b'"1"' + marks[Mark.FRAME]
    assert actions.count(b"    return a") == 2
    assert frames == sorted(frames)


def test_the_first_wrong_token_is_the_first_error_and_forced_passes_over_actions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program, real = recorded("def f(a):\n    return a\n", "1")
    _, parts, _ = history_accuracy.labelled(real)
    line, value = parts.index("action", 5), len(parts) - 3

    def wrong(network: object, example: Example, dtype: object) -> np.ndarray:
        found = np.zeros(len(parts) + 1, bool)
        found[[line, value]] = True
        return found

    monkeypatch.setattr(history_accuracy, "_wrong", wrong)
    network = Network(shape_of_size("tiny"))
    found = history_accuracy.first_errors(network, program, real, torch.float32)
    assert found == ((1, "action"), (2, "state"), 3, 1, 1)


def test_training_in_the_history_view_leaves_weights_with_what_they_follow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    source = "swaps=cwm_agent.training.steps.history_examples:swap_histories"
    asked = [
        "--view",
        "history",
        "--size",
        "1",
        "--seconds",
        "0.1",
        "--batch",
        "1",
        "--length",
        "1024",
        "--workers",
        "0",
    ]
    asked += [
        "--source",
        source,
        "--evaluate",
        f"{source}:1",
        "--swaps",
        "2",
        "--device",
        "cpu",
        "--out",
        str(tmp_path),
    ]
    assert train.main(asked) == 0
    model = weights.load(tmp_path)
    assert [(row["form"], row["swaps"], row["programs"]) for row in model.card["swaps followed"]] == [
        ("straight", 2, 40), ("branching", 2, 40),
    ]  # fmt: skip
    assert "free   0 of 40" in capsys.readouterr().out


def test_the_question_is_the_marked_source_and_the_call() -> None:
    program, real = recorded("def f(a):\n    return a\n", "1")
    asked = question(program, real.frames[0])
    assert asked.startswith(b"def f(a):  # << START_OF_TRACE\n    return a\n\xf8\xfb")
    assert asked.endswith(b"\xf9def f(a):")

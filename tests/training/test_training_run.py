"""Training runs: schedule, evaluation and the command."""

import json
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch
from random_networks import random_model

from cwm_agent import train
from cwm_agent.engine import weights
from cwm_agent.engine.decoding.continuous_batching import Prompt
from cwm_agent.engine.engine import Engine
from cwm_agent.engine.network import Network, linear
from cwm_agent.engine.shape import shape_of_size
from cwm_agent.jobs.placement import Placement
from cwm_agent.training import training_loop
from cwm_agent.training.data_feed import Feed
from cwm_agent.training.exactness import evaluate, judge, summarise
from cwm_agent.training.example import Example, Share
from cwm_agent.training.recipe import BadRecipe, DataMix, Recipe
from cwm_agent.training.steps.copy_task import additions, copies
from cwm_agent.training.training_progress import LossTally

COPIES = "cwm_agent.training.steps.copy_task:copies"
DATA_MIX = DataMix((Share("copies", COPIES),), 128)


@pytest.mark.parametrize(
    ("passed", "factor"), [(0.0, 0.0), (0.05, 0.5), (0.1, 1.0), (0.5, 1.0), (0.6, 1.0), (0.8, 0.5), (1.0, 0.0)]
)
def test_the_learning_rate_rises_stays_and_falls_to_zero(passed: float, factor: float) -> None:
    """The schedule is a function of the share of time that has passed."""
    assert Recipe(DATA_MIX, warm_up=0.1, decay=0.4).factor(passed) == pytest.approx(factor)


@pytest.mark.parametrize(("passed", "factor"), [(0.1, 1.0), (0.6, 1.0), (0.8, 0.8), (1.0, 0.6)])
def test_some_of_the_learning_rate_may_be_left(passed: float, factor: float) -> None:
    assert Recipe(DATA_MIX, warm_up=0.1, decay=0.4, rate_left=0.6).factor(passed) == pytest.approx(factor)


@pytest.mark.parametrize(
    "change",
    [{"seconds": 0}, {"batch": 0}, {"warm_up": 0.7, "decay": 0.4}, {"workers": -1}, {"rate_left": 1.5}],
)
def test_invalid_recipes_are_refused(change: dict[str, float]) -> None:
    """A bad value is refused when the recipe is made."""
    with pytest.raises(BadRecipe, match=r"must fit|needs seconds|from 0 to 1"):
        Recipe(DATA_MIX, **change)  # type: ignore[arg-type]


def test_a_verdict_is_right_exactly_where_decoding_gives_the_answer() -> None:
    """Teacher-forced judging equals greedy decoding, right and wrong answers alike."""
    model = random_model()
    engine = Engine(model, precision="fp32")
    drawn = [*islice(copies(2), 10), *islice(additions(2), 10)]
    prompts = [Prompt(example.query, example.context, example.answer) for example in drawn]
    completions = engine.complete([Prompt(prompt.text, prompt.context) for prompt in prompts], max_tokens=3)
    examples = [
        Example(example.context, example.query, answer.text if number % 2 else example.answer, example.kind)
        for number, (example, answer) in enumerate(zip(drawn, completions, strict=True))
    ]
    verdicts = list(judge(model.network, examples, length=128, batch=4, dtype=torch.float32))
    assert [verdict.example for verdict in verdicts] == examples
    for verdict, answer in zip(verdicts, completions, strict=True):
        assert answer.text.startswith(verdict.decoded[:3]) or verdict.decoded.startswith(answer.text)
        assert verdict.right == (verdict.decoded == verdict.example.answer and answer.finished)


def test_exactness_is_counted_by_kind() -> None:
    """Kinds add up to the whole."""
    examples = [*islice(copies(2), 20), Example(b"", b"q" * 200, b"", "long")]
    exactness, wrong = evaluate(random_model().network, "c", examples, length=128, batch=4, dtype=torch.float32)
    assert (exactness.count, exactness.left_out) == (20, 1)
    assert exactness.right == 20 - len(wrong)
    assert {kind for kind, _, _ in exactness.by_kind} == {"copy", "reverse"}
    assert summarise("nothing", []).share == 0.0


def test_a_progress_line_holds_means_since_the_last_line() -> None:
    tally = LossTally(100.0, 60.0, 1000).add([2.0, 4.0, 0.5, 1.0], 0.5)
    assert tally.line(101.0) == ""
    line = tally.add([4.0, 6.0, 0.7, 1.0], 0.5).line(110.0)
    assert "loss 3.0000" in line
    assert "answer 5.0000" in line
    assert "waiting  10%" in line
    assert tally.renew(110.0).end(112.0).loss == 2.0


def test_the_command_trains_saves_evaluates_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A very short run writes weights, a card and failures; a second run resumes from them."""
    small = ["--size", "1", "--length", "128", "--batch", "1", "--seconds", "0.05", "--workers", "0"]
    source = ["--source", f"copies={COPIES}:1", "--evaluate", f"copies={COPIES}:20"]
    assert train.main([*small, *source, "--keep-optimiser", "--out", str(tmp_path / "a")]) == 0
    assert train.main([*small, *source, "--resume", str(tmp_path / "a"), "--out", str(tmp_path / "b")]) == 0
    out = capsys.readouterr().out
    assert "of 20 held out" in out
    assert "resuming with the saved optimiser" in out
    card = weights.load(tmp_path / "b").card
    assert len(card["runs"]) == 2
    assert card["runs"][1]["exactness"][0]["count"] == 20
    assert ["by_kind" in run["exactness"][0] for run in card["runs"]] == [False, True]
    failure = json.loads((tmp_path / "b" / "failures.jsonl").read_text().splitlines()[0])
    assert set(failure) == {"source", "kind", "context", "query", "answer", "said"}


def test_a_run_with_rounded_products_ends_with_plain_ones(tmp_path: Path) -> None:
    small = ["--size", "1", "--length", "128", "--batch", "1", "--seconds", "0.05", "--workers", "0", "--rounded"]
    assert train.main([*small, "--source", f"copies={COPIES}:1", "--out", str(tmp_path)]) == 0
    model = weights.load(tmp_path)
    assert model.card["runs"][0]["recipe"]["rounded"] is True
    assert model.network.product is linear


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--source", "x"], "NAME=module:function"),
        (["--source", "x=nowhere:f"], "cannot be loaded"),
        (["--size", "huge"], "Choose one of"),
        (["--resume", "nowhere"], "no model in nowhere"),
        (["--length", "4"], "cannot be packed"),
    ],
)
def test_bad_arguments_end_in_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, and an exit status other than 0."""
    assert train.main([*arguments, "--seconds", "0.01", "--workers", "0", "--out", str(tmp_path)]) != 0
    assert message in capsys.readouterr().err


def test_help_and_workers_need_no_torch() -> None:
    """The command line and the modules of workers do not import torch."""
    code = (
        "import sys, cwm_agent.train, cwm_agent.training.data_feed, cwm_agent.training.recipe; "
        "cwm_agent.train.parser().format_help(); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_if_a_kernel_fails_the_next_one_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Block-sparse attention cannot train on a CPU: the run reports it and uses the plain mask."""
    recipe = Recipe(DATA_MIX, size="1", batch=1)
    (plain,) = training_loop.machines(recipe)
    monkeypatch.setattr(training_loop, "machines", lambda _: [replace(plain, kernel="flex"), plain])
    lines: list[str] = []
    network = Network(shape_of_size("1"))
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    trainer = training_loop.start(
        network, recipe, Feed(DATA_MIX, batch=1, placement=Placement(0, apart=True)).next(), lines.append
    )
    assert trainer.machine.kernel == "sdpa"
    assert "flex attention fails here" in lines[0]
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())


@pytest.mark.parametrize(
    ("attention", "kernels"), [("auto", ["flex", "sdpa", "sdpa"]), ("flex", ["flex"]), ("sdpa", ["sdpa"])]
)
def test_an_accelerator_uses_bf16_and_tries_block_sparse_attention_first(attention: str, kernels: list[str]) -> None:
    """Settings that are `auto` are tried from the fastest to the safest."""
    found = training_loop.machines(Recipe(DATA_MIX, device="cuda", attention=attention))  # type: ignore[arg-type]
    assert [machine.kernel for machine in found] == kernels
    assert {machine.dtype for machine in found} == {torch.bfloat16}
    assert found[0].compiled


@pytest.mark.parametrize("what", ["heldout", "mutants", "swaps:4"])
def test_exported_programs_are_tasks_that_verify_can_load(what: str, tmp_path: Path) -> None:
    from tasks import load

    out = tmp_path / "tasks.jsonl"
    assert train.main(["--export", what, "--count", "3", "--out", str(out)]) == 0
    loaded = load(str(out))
    assert (len(loaded.tasks), loaded.problems) == (3, ())


def test_an_export_of_something_unknown_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["--export", "everything", "--out", str(tmp_path / "x")]) == 2
    assert "heldout, mutants or swaps:N" in capsys.readouterr().err

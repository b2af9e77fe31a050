"""Divergences of histories are named by what was said wrong first; the command gives the figures of the other views."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from history_worlds import recorded, replay, small

from cwm_agent import verify
from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.oracles.backends.replay import NoisyReplay
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.oracles.protocol import UnknownOracle
from cwm_agent.oracles.wrappers.noise import Rates
from cwm_agent.verification.history_comparison import compare_histories
from cwm_agent.verification.history_files import HistoryCase, count_history_steps
from envs.execution.state.frames import Outcome
from envs.execution.state.history_frames import History, HistoryFrame

SOURCE = """def f(a, b, s):
    t = s + 'x'
    if a > b:
        a, b = b, a
    else:
        b = a
    t = [a, b]
    return t
"""
Change = Callable[[HistoryFrame], HistoryFrame]


def rollout(frames: tuple[HistoryFrame, ...], outcome: Outcome | None, end: str = "outcome") -> HistoryRollout:
    return HistoryRollout(frames, ("imagined",) * len(frames), end, outcome, reason="why" if end != "outcome" else "")  # type: ignore[arg-type]


def local(name: str, text: str) -> Change:
    """The frame with another value of one local; an empty text leaves it out."""

    def change(frame: HistoryFrame) -> HistoryFrame:
        rows = dict(frame.locals) | {name: text}
        return replace(frame, locals=tuple((key, value) for key, value in rows.items() if value))

    return change


def action(text: str, *lines: int) -> Change:
    return lambda frame: replace(frame, action=text, lines=lines)


def event(name: str) -> Change:
    return lambda frame: replace(frame, event=name, locals=(), arg="1" if name in ("return", "exception") else None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("index", "change", "kind", "detail"),
    [
        pytest.param(1, action("    t = s - 'x'"), "action", "unwritten", id="a line that stands nowhere"),
        pytest.param(1, action("    return t", 8), "action", "impossible", id="a jump"),
        pytest.param(3, action("        b = a", 6), "action", "branch", id="the other branch"),
        pytest.param(2, local("t", "'sy'"), "state", "str", id="a wrong string"),
        pytest.param(2, local("a", "7"), "control-state", "int", id="a wrong value that a branch tests"),
        pytest.param(2, local("t", ""), "state", "str", id="a missing local"),
        pytest.param(2, local("z", "1"), "state", "unbound", id="a local that is not there"),
        pytest.param(3, event("exception"), "control-state", "exception", id="an exception that was not raised"),
        pytest.param(3, event("return"), "action", "impossible", id="a return where there is none"),
        pytest.param(6, lambda frame: replace(frame, arg="[1]"), "state", "list", id="another value returned"),
        pytest.param(
            3,
            lambda frame: action("        b = a", 6)(local("t", "''")(frame)),
            "state",
            "str",
            id="state and action wrong: the state was said first",
        ),
    ],
)
def test_the_first_error_is_named(index: int, change: Change, kind: str, detail: str) -> None:
    program, real = recorded(SOURCE, "2, 1, 's'")
    frames = (*real.frames[:index], change(real.frames[index]), *real.frames[index + 1 :])
    found = compare_histories(program, rollout(frames, real.outcome), real)
    assert found.divergence is not None
    assert (found.divergence.step, found.divergence.kind, found.divergence.detail) == (index, kind, detail)
    assert (found.depth, found.complete, found.same_outcome) == (index - 1, False, True)


def test_the_order_of_locals_and_open_lines_are_no_errors() -> None:
    program, real = recorded(SOURCE, "2, 1, 's'")
    turned = tuple(replace(frame, locals=frame.locals[::-1], lines=(1, *frame.lines)) for frame in real.frames)
    assert compare_histories(program, rollout(turned, real.outcome), real).complete


@pytest.mark.parametrize(
    ("frames", "end", "kind"),
    [(3, "outcome", "outcome"), (3, "malformed", "malformed"), (3, "truncated", None)],
)
def test_an_end_that_comes_early_is_an_outcome_malformed_or_no_error_at_all(
    frames: int, end: str, kind: str | None
) -> None:
    program, real = recorded(SOURCE, "2, 1, 's'")
    found = compare_histories(program, rollout(real.frames[:frames], Outcome("returned", "0"), end), real)
    assert (found.divergence.kind if found.divergence else None) == kind
    assert found.censored == (kind is None)


def test_steps_are_asked_from_the_real_history_each_by_itself() -> None:
    """One wrong frame in ten costs one step in ten, not the rest of the run."""
    cases = [
        HistoryCase(name, *small(name)) for name in ("two loops over one list", "loop position", "while with else")
    ]
    known = {case.program: case.real for case in cases if case.program and case.real}
    exact = count_history_steps(cases, replay(known))
    assert (exact.share, exact.action_share) == (1.0, 1.0)
    noisy = count_history_steps(cases, NoisyReplay(replay(known), Rates(action=1.0), "iid"))
    lines = sum(frame.event == "line" for real in known.values() for frame in real.frames[1:])
    assert noisy.action_share == pytest.approx(1 - lines / sum(len(real) - 1 for real in known.values()))


def _file(folder: Path) -> Path:
    rows = [
        {"kind": "trace", "id": f"t{n}", "source": SOURCE, "entry": "f", "arguments": f"{n}, 1, 's'"} for n in (0, 2)
    ]
    rows.append({"kind": "trace", "id": "t9", "source": "def f():\n    return 1\n", "entry": "f", "arguments": "no"})
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_command_measures_the_history_view_and_what_cannot_run_counts_as_wrong(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    asked = [str(_file(tmp_path)), "--view", "history", "--oracle", "exact", "--json", str(out)]
    assert verify.main(asked) == 0
    runs = json.loads(out.read_text())["runs"]
    assert [(run["guide"], run["programs"], run["attempted"]) for run in runs] == [("free", 3, 2), ("forced", 3, 2)]
    assert all(run["trace_exact"] == pytest.approx(2 / 3) for run in runs)
    assert {"output_exact", "step_exact", "action_exact", "d50", "d90", "kinds", "tokens"} <= runs[0].keys()
    assert verify.main([*asked, "--guide", "grounded", "--level", "operations"]) == 0
    assert json.loads(out.read_text())["runs"][0]["actions_by_rule"] > 0.5


def test_grounded_on_a_plain_program_is_one_line_of_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.main([str(_file(tmp_path)), "--view", "history", "--oracle", "exact", "--guide", "grounded"]) == 2
    assert "decomposed" in capsys.readouterr().err


def _nothing(program: object, call: object) -> History | None:
    return None


@pytest.mark.parametrize("name", ["exact", "none", "noisy:iid:action=0.1", "noisy:systematic:state=0.2,seed=3"])
def test_history_oracles_have_the_names_of_the_others(name: str) -> None:
    assert history_oracle_named(name, _nothing).name.startswith(name.partition(":")[0])


@pytest.mark.parametrize("name", ["exakt", "noisy:sometimes", "noisy:iid:action=2", "nowhere.at.all:thing"])
def test_a_name_that_stands_for_nothing_is_refused(name: str) -> None:
    with pytest.raises(UnknownOracle):
        history_oracle_named(name, _nothing)

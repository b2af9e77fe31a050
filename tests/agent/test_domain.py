"""The loop over a small domain: what it asks of a domain, what it records, and what it says of a broken one."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cwm_agent.agent import loop
from cwm_agent.agent.budget import Budget, Spending
from cwm_agent.agent.check import check_domain
from cwm_agent.agent.domain import Conclusion, Domain, DomainError, DomainKind
from cwm_agent.agent.domain_registry import UnknownDomain, domain_named, kind_of
from cwm_agent.agent.episodes.episode import Episode, RealRun, read
from cwm_agent.agent.loop import solve_task
from cwm_agent.agent.planner_registry import UnknownPlanner, planner_named
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.jobs.placement import Placement
from cwm_agent.plugins import PluginError
from planners import BadPlanner, Leaf, PathPlanner, Refused, Step
from tasks import load

PLANNERS = ("mcts", "beam", "best-first", "random")


@dataclass(frozen=True)
class Hill:
    """A task: come from 0 to `top` by steps of 1 and 2; imagination believes that `trap` is the top."""

    id: str
    top: int = 4
    trap: int | None = None


@dataclass
class Climb:
    """A `Domain` with its five methods and nothing else."""

    task: Hill
    known: dict[int, bool] = field(default_factory=dict)
    """Places that were really visited: whether each is the top."""

    def start(self, spending: Spending) -> Step[int]:
        return Step(0, value=0.0)

    def actions(self, state: int) -> Sequence[int]:
        return (1, 2)

    def imagine(self, new: Sequence[Leaf[int, int]]) -> Any:
        return [(leaf, self._step(leaf.state + leaf.action)) for leaf in new]

    def _step(self, place: int) -> Step[int] | Refused:
        if place > self.task.top:
            return Refused("off the hill")
        if self.known.get(place, place in (self.task.top, self.task.trap)):
            return Step(place, value=1.0, end="goal")
        return Step(place, value=place / self.task.top / 2)

    def act(self, path: Sequence[int], spending: Spending) -> RealRun:
        spending.executions += 1
        return RealRun(tuple(map(str, path)), None, (True,), (sum(path) == self.task.top,))

    def learn(self, path: Sequence[int], real: RealRun) -> Step[int]:
        place = sum(path)
        self.known[place] = bool(real.marks[0])
        return Step(place, value=place / self.task.top, end="goal" if real.marks[0] else None)


@dataclass(frozen=True)
class Hills:
    """A `DomainKind`."""

    name: str = "hills"
    trap: int | None = None

    def load(self, path: str) -> list[Hill]:
        return [Hill(f"{path}-{top}", top, self.trap) for top in (3, 4)]

    def open(self, task: Hill, workplace: Workplace) -> Climb:
        return Climb(task)


class Greedy(PathPlanner):
    """A planner of the user's own."""

    def paths(self, book: Any) -> Any:
        path = book.start
        while path is not None and path.end is None and not book.cut:
            longer = yield from book.grow([path])
            path = max(longer, key=lambda each: each.score, default=None)
        return "exhausted"


def hills() -> Hills:
    """What `--domain tests:hills` would call."""
    return Hills()


SETTINGS = Settings(oracle="exact", budget=Budget(executions=5, edits=4))


@pytest.mark.parametrize("planner", PLANNERS)
def test_every_planner_solves_a_domain_of_five_methods(planner: str) -> None:
    episode = solve_task("hill", Climb(Hill("hill")), planner_named(planner), SETTINGS)
    assert episode.solved
    assert sum(map(int, episode.patch)) == 4
    assert (len(episode.runs), episode.executions) == (1, 1)


@pytest.mark.parametrize("planner", ["mcts", "beam", "best-first"])
def test_the_loop_learns_from_a_plan_that_failed(planner: str) -> None:
    """Imagination takes 3 for the top; the real run says no, the search is corrected and finds 4."""
    episode = solve_task("hill", Climb(Hill("hill", top=4, trap=3)), planner_named(planner), SETTINGS)
    assert episode.solved
    assert [run.marks for run in episode.runs][-1] == (True,)


def test_the_budget_ends_a_task_that_imagination_never_gets_right() -> None:
    class Stubborn(Climb):
        def learn(self, path: Sequence[int], real: RealRun) -> Step[int]:
            return Step(sum(path), value=1.0)

        def act(self, path: Sequence[int], spending: Spending) -> RealRun:
            spending.executions += 1
            return RealRun((), None, (), (False,))

    episode = solve_task("hill", Stubborn(Hill("hill")), planner_named("mcts"), SETTINGS)
    assert not episode.solved
    assert episode.executions <= 5


def test_a_conclusion_is_recorded() -> None:
    class Says(Climb):
        def conclude(self, path: Sequence[int] | None) -> Conclusion:
            return Conclusion("up", right=True)

    episode = solve_task("hill", Says(Hill("hill")), planner_named("mcts"), SETTINGS)
    assert (episode.diff, episode.right) == ("up", True)


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("start", None, r"Broken\.start returned None; expected a Step"),
        ("imagine", None, r"Broken\.imagine returned None; expected a list"),
        ("imagine", [3], r"Broken\.imagine returned a list with 3; expected \(leaf, Step\) pairs"),
        ("act", "done", r"Broken\.act returned 'done'; expected a RealRun"),
        ("act", RealRun((), None, (), ()), r"Broken\.act charged nothing; expected it to add at least 1"),
        ("learn", 3, r"Broken\.learn returned 3; expected a Step"),
    ],
)
def test_a_broken_domain_is_named_with_class_method_and_expectation(method: str, value: object, message: str) -> None:
    broken = type("Broken", (Climb,), {method: lambda *_: value})
    with pytest.raises(DomainError, match=message):
        solve_task("hill", broken(Hill("hill")), planner_named("mcts"), SETTINGS)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (lambda *_: None, r"Broken\.search returned None; expected a search with `leaves` and the methods ask"),
        (lambda *_: SimpleNamespace(leaves=1, ask=print, tell=0, release=0, correct=0, plan=0), r"\.ask returned None"),
    ],
)
def test_a_broken_planner_is_named_with_class_method_and_expectation(search: Any, message: str) -> None:
    broken = type("Broken", (), {"search": search})()
    with pytest.raises(BadPlanner, match=message):
        solve_task("hill", Climb(Hill("hill")), broken, SETTINGS)


def test_a_planner_without_its_generator_is_refused_by_name() -> None:
    class Unfinished(PathPlanner):
        pass

    with pytest.raises(TypeError, match=r"Unfinished.*paths"):
        Unfinished()  # type: ignore[abstract]


def test_a_domain_that_breaks_its_protocol_ends_the_run(tmp_path: Path) -> None:
    """It is the user's to correct: a message, and no row that calls the task failed."""

    class Broken(Hills):
        def open(self, task: Hill, workplace: Workplace) -> Any:
            return type("Broken", (Climb,), {"start": lambda *_: None})(task)

    class Empty(Hills):
        def open(self, task: Hill, workplace: Workplace) -> Any:
            return object()

    for kind, message in ((Broken(), "expected a Step"), (Empty(), "lacks start, actions, imagine, act, learn")):
        with pytest.raises(DomainError, match=message):
            run_tasks(kind, Hills().load("x"), SETTINGS, tmp_path)
    assert list(read(tmp_path / "episodes.jsonl")) == []


def test_a_second_plan_that_is_known_already_is_carried_out_without_further_search() -> None:
    """Two goals are imagined; after the first failed for real, the second is taken from the search as it stands."""
    asked: list[int] = []

    class Two(Climb):
        def imagine(self, new: Sequence[Leaf[int, int]]) -> Any:
            asked.append(len(new))
            return super().imagine(new)

    episode = solve_task("hill", Two(Hill("hill", top=2, trap=1)), planner_named("beam"), SETTINGS)
    assert [run.patch for run in episode.runs] == [("1",), ("2",)]
    assert asked == [2]


def test_check_domain_passes_a_domain_that_keeps_its_protocol() -> None:
    check_domain(Hills(), "path", SETTINGS)


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("actions", iter((1, 2)), r"actions returned .*; expected a list or tuple"),
        ("imagine", [], r"imagine answered tickets \[\] for 2 leaves; expected each once"),
        ("start", 3, r"start returned 3; expected a Step"),
    ],
)
def test_check_domain_names_what_is_wrong(method: str, value: object, message: str) -> None:
    class Kind(Hills):
        def open(self, task: Hill, workplace: Workplace) -> Any:
            return type("Broken", (Climb,), {method: lambda *_: value})(task)

    with pytest.raises(DomainError, match=message):
        check_domain(Kind(), "path", SETTINGS)


def test_check_domain_names_missing_methods_doubled_ids_and_chance() -> None:
    class Half(Hills):
        def open(self, task: Hill, workplace: Workplace) -> Any:
            return object()

    class Doubled(Hills):
        def load(self, path: str) -> list[Hill]:
            return [Hill("a"), Hill("a")]

    class Chance(Hills):
        def open(self, task: Hill, workplace: Workplace) -> Any:
            drawn.append(1)
            return Climb(Hill(task.id, top=3 + len(drawn) % 2))

    drawn: list[int] = []
    for kind, message in (
        (Half(), "lacks start"),
        (Doubled(), "different texts"),
        (Chance(), "two different episodes"),
    ):
        with pytest.raises(DomainError, match=message):
            check_domain(kind, "path", SETTINGS)


@pytest.mark.parametrize("name", ["repair", "permutation"])
def test_the_kinds_that_come_along_keep_the_protocol(name: str) -> None:
    """On their first shipped task, with Python itself as the oracle."""
    kind = domain_named(name)
    assert isinstance(kind, DomainKind)
    check_domain(kind, name, Settings(oracle="exact", ceiling=True, policy="none"))
    assert kind_of(kind.load(name)) is kind
    assert isinstance(kind.open(kind.load(name)[0], Workplace(SETTINGS)), Domain)


def test_the_runner_resumes_any_domain(tmp_path: Path) -> None:
    tasks = Hills().load("x")
    run_tasks(Hills(), tasks[:1], SETTINGS, tmp_path)
    found = run_tasks(Hills(), tasks, SETTINGS, tmp_path)
    assert (found["tasks"], found["solved"]) == (2, 2)
    assert [episode.task for episode in read(tmp_path / "episodes.jsonl")] == ["x-3", "x-4"]


@dataclass
class WaitingClimb(Climb):
    """The first task ends only after the episode of another one was written."""

    signal: str = ""

    def act(self, path: Sequence[int], spending: Spending) -> RealRun:
        if self.task.id.endswith("-3"):
            with open(os.open(self.signal, os.O_RDONLY | os.O_NONBLOCK)) as file:
                select.select([file], [], [], 20)
        return super().act(path, spending)


@dataclass(frozen=True)
class WaitingHills(Hills):
    signal: str = ""

    def open(self, task: Hill, workplace: Workplace) -> Climb:
        return WaitingClimb(task, signal=self.signal)


def test_a_slow_task_keeps_no_other_from_being_written(tmp_path: Path) -> None:
    signal = tmp_path / "signal"
    os.mkfifo(signal)
    holder = os.open(signal, os.O_RDWR)  # keeps what is written until it is read
    seen: list[str] = []

    def on_episode(episode: Episode, done: int, total: int) -> None:
        seen.append(episode.task)
        os.write(holder, b"go")

    run_tasks(
        WaitingHills(signal=str(signal)),
        Hills().load("x"),
        SETTINGS,
        tmp_path,
        placement=Placement(2),
        on_episode=on_episode,
    )
    os.close(holder)
    assert seen == ["x-4", "x-3"]


def test_after_its_time_a_task_runs_what_was_imagined_for_as_long_again_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]

    class Slow(Climb):
        """Every place seems to be the top, and none is."""

        def _step(self, place: int) -> Step[int] | Refused:
            return Step(place, value=0.5) if place in self.known else Step(place, value=1.0, end="goal")

        def act(self, path: Sequence[int], spending: Spending) -> RealRun:
            now[0] += 4.0
            return replace(super().act(path, spending), marks=(False,))

    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    for seconds, runs in ((1.0, 1), (5.0, 2), (50.0, 4)):
        now[0] = 0.0
        settings = replace(SETTINGS, budget=Budget(executions=4, seconds=seconds))
        found = solve_task("x", Slow(Hill("x")), planner_named("mcts"), settings)
        assert (found.solved, len(found.runs)) == (False, runs)


def test_a_fault_of_the_agent_is_a_traceback_in_its_row_and_the_next_task_is_solved(tmp_path: Path) -> None:
    class Faulty(Hills):
        def open(self, task: Hill, workplace: Workplace) -> Any:
            return Climb(task) if task.top == 4 else {}["nothing"]

    run_tasks(Faulty(), Hills().load("x"), SETTINGS, tmp_path)
    first, second = read(tmp_path / "episodes.jsonl")
    assert "Traceback" in first.problem
    assert "KeyError" in first.problem
    assert second.solved


def test_domains_and_planners_of_ones_own_are_found_by_module_and_callable() -> None:
    assert domain_named(f"{__name__}:hills") == Hills()
    assert isinstance(planner_named(f"{__name__}:Greedy"), Greedy)
    for name, error in (
        ("hill", UnknownDomain),
        (f"{__name__}:SETTINGS", PluginError),
        (f"{__name__}:Hill", PluginError),
        (f"{__name__}:Spending", DomainError),
        ("no_such_module:hills", PluginError),
    ):
        with pytest.raises(error):
            domain_named(name)
    with pytest.raises(UnknownPlanner, match="no method search"):
        planner_named(f"{__name__}:hills")


def test_tasks_of_no_known_kind_must_name_their_domain() -> None:
    assert kind_of(load("repair").tasks).name == "repair"
    with pytest.raises(UnknownDomain, match="several kinds"):
        kind_of([Hill("a")])

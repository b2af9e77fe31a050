"""Verifies task files in the history view: runs programs (as written or decomposed) once, then imagines them.

The figures are those of the other views. `step_exact` and `action_exact` start each frame from the real history;
rollouts start from the oracle's own frames.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cwm_agent import defaults
from cwm_agent.imagination.guides import Guide, parse_guide
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.imagination.rollout_loop import Mark
from cwm_agent.imagination.view_adapters import HistoryAdapter, Level
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import Runner, Tell
from cwm_agent.oracles.history_protocol import HistoryOracle, HistoryQuery
from cwm_agent.oracles.history_registry import history_oracle_named
from cwm_agent.verification.history_comparison import compare_histories, same_action, same_frame
from cwm_agent.verification.rollout_tally import Observer
from cwm_agent.verification.statistics.survival import Observation, reach
from cwm_agent.verification.task_files import CHUNK, Figures, Rows, tasks_of
from cwm_agent.verification.verifier import TraceComparison, value_type
from cwm_agent.verification.verify_jobs import in_order, parts
from envs.execution.decompose.program import Program
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Activation, Frame
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.tracer.history_recorder import Recorder
from envs.execution.tracer.tracer import TraceLimits
from tasks import TraceTask
from tasks.traced_calls import traced_task

_NO_HEAP = Frame("line", (Activation("", 1),))


@dataclass(frozen=True, slots=True)
class HistoryCase:
    """One program and call with its real history; `problem` is the reason if there is none."""

    id: str
    program: Program | None
    real: History | None
    problem: str = ""


@dataclass(slots=True)
class HistorySteps:
    """Counts of right and of all frames, each imagined from the real history before it."""

    asked: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    actions: int = 0
    tokens: int = 0

    def add(self, other: "HistorySteps") -> None:
        """Add the counts of other cases."""
        self.asked.update(other.asked)
        self.right.update(other.right)
        self.actions += other.actions

    @property
    def share(self) -> float:
        return sum(self.right.values()) / max(1, sum(self.asked.values()))

    @property
    def action_share(self) -> float | None:
        return self.actions / sum(self.asked.values()) if self.asked else None

    @property
    def by_type(self) -> dict[str, float]:
        return {kind: self.right[kind] / count for kind, count in sorted(self.asked.items())}


def verify_histories(
    path: str | Path,
    *,
    oracle: str = defaults.ORACLE,
    guides: Sequence[str] = (defaults.HISTORY_GUIDE,),
    level: Level = defaults.LEVEL,
    limit: int | None = None,
    steps: int = defaults.ROLLOUT_STEPS,
    rows: Rows = "all",
    observer: Observer | None = None,
    placement: Placement = HERE,
) -> list[Figures]:
    """Return the figures of one file in the history view, one entry for each guide."""
    calls = history_calls(path, limit, rows)
    work = HistoryWork(oracle, tuple(guides), level, steps)
    whole = VerifiedHistories()
    for chunk in in_order(work, [calls] if placement.is_here else parts(calls, CHUNK), placement):
        whole.add(chunk)
    head = {"file": str(path), "rows": rows, "oracle": whole.name, "view": HistoryAdapter().view, "level": level}
    found = []
    for guide, compared in whole.compared.items():
        if observer is not None:
            for case, rollout, comparison in compared:
                observer(guide, case, rollout, comparison)
        figures = _figures(whole.cases, compared, whole.counts) | {"seconds": whole.seconds[guide]}
        found.append({**head, "guide": guide, **figures})
    return found


Compared = tuple[HistoryCase, HistoryRollout, TraceComparison]


@dataclass(slots=True)
class VerifiedHistories:
    """Cases of a chunk, or of many added up, with their rollouts by guide."""

    name: str = ""
    """Of the oracle."""
    cases: list[HistoryCase] = field(default_factory=list)
    counts: HistorySteps = field(default_factory=HistorySteps)
    compared: dict[str, list[Compared]] = field(default_factory=dict)
    seconds: Counter[str] = field(default_factory=Counter)

    def add(self, other: "VerifiedHistories") -> None:
        """Add the cases of another chunk."""
        self.name = other.name
        self.cases += other.cases
        self.counts.add(other.counts)
        for guide, compared in other.compared.items():
            self.compared.setdefault(guide, []).extend(compared)
        self.seconds.update(other.seconds)


@dataclass(frozen=True, slots=True)
class HistoryWork:
    """Verifies chunks of calls in the history view; each chunk opens its oracle, which may replay its real runs."""

    oracle: str
    guides: tuple[str, ...]
    level: Level
    steps: int
    isolates: bool = True

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[tuple[int, Sequence[TraceTask]], VerifiedHistories]]:
        with Sandbox() as sandbox:

            def run(chunks: Sequence[tuple[int, Sequence[TraceTask]]]) -> Iterator[tuple[int, VerifiedHistories]]:
                for place, (_, calls) in enumerate(chunks):
                    yield place, self._verified(calls, Recorder(sandbox))

            yield run

    def _verified(self, calls: Sequence[TraceTask], recorder: Recorder) -> VerifiedHistories:
        guides = [parse_guide(guide) for guide in self.guides]
        cases = [_case(call, recorder, self.level, self.steps) for call in calls]
        known = {(case.program, case.real.frames[0]): case.real for case in cases if case.real and case.real.frames}
        asked = history_oracle_named(self.oracle, lambda program, call: known.get((program, call)))
        found = VerifiedHistories(asked.name, cases, count_history_steps(cases, asked))
        for guide in guides:
            began = time.perf_counter()
            found.compared[guide.name] = compared_rollouts(cases, asked, guide, self.steps)
            found.seconds[guide.name] = time.perf_counter() - began  # type: ignore[assignment]  # a Counter adds floats
        return found


def history_calls(path: str | Path, limit: int | None, rows: Rows) -> list[TraceTask]:
    """The calls of a file's tasks."""
    return [
        call for task in tasks_of(path, rows) for call in ([task] if isinstance(task, TraceTask) else task.traces())
    ][:limit]


def _case(task: TraceTask, recorder: Recorder, level: Level, steps: int) -> HistoryCase:
    call = traced_task(task)
    try:
        program = HistoryAdapter().program(call.source, call.entry, level)
        limits = TraceLimits(steps=steps)
        return HistoryCase(task.id, program, recorder.history(program, call.arguments, limits, call.world.record()))
    except ExecutionError as error:
        return HistoryCase(task.id, None, None, str(error))


def _ready(cases: Sequence[HistoryCase]) -> list[tuple[HistoryCase, Program, History]]:
    return [(case, case.program, case.real) for case in cases if case.program and case.real and case.real.frames]


def count_history_steps(cases: Sequence[HistoryCase], oracle: HistoryOracle) -> HistorySteps:
    """Ask for every frame of the real runs once, each from the real frames before it, and count the right ones."""
    counts = HistorySteps()
    going = list(enumerate(_ready(cases)))
    index = 1
    while going := [each for each in going if index < len(each[1][2].frames)]:
        queries = [HistoryQuery(program, real.frames[:index], rollout=number) for number, (_, program, real) in going]
        for (_, (_, _, real)), prediction in zip(going, oracle.continue_(queries), strict=True):
            truth, answer = real.frames[index], prediction.said
            kind = _changed_type(real.frames[:index], truth)
            counts.asked[kind] += 1
            counts.tokens += prediction.tokens
            if isinstance(answer, HistoryFrame):
                counts.right[kind] += same_frame(answer, truth)
                counts.actions += same_action(answer, truth)
        index += 1
    return counts


def _changed_type(before: Sequence[HistoryFrame], truth: HistoryFrame) -> str:
    """Return the type of a frame's new value: the value returned, the first local that changed, else `nothing`."""
    if truth.event == "exception":
        return "exception"
    if truth.arg is not None:
        return value_type(truth.arg, _NO_HEAP)
    last = next((dict(frame.locals) for frame in reversed(before) if frame.depth == truth.depth and frame.locals), {})
    changed = next((text for name, text in truth.locals if last.get(name) != text), None)
    return "nothing" if changed is None else value_type(changed, _NO_HEAP)


def compared_rollouts(
    cases: Sequence[HistoryCase], oracle: HistoryOracle, guide: Guide, steps: int
) -> list[tuple[HistoryCase, HistoryRollout, TraceComparison]]:
    """Roll out every case and compare it with its real run."""
    ready = _ready(cases)
    starts = [HistoryStart(program, real.frames[0], real) for _, program, real in ready]
    rollouts = imagine_histories(starts, oracle, HistorySettings(guide, steps))
    return [
        (case, rollout, compare_histories(program, rollout, real))
        for (case, program, real), rollout in zip(ready, rollouts, strict=True)
    ]


def _figures(
    cases: Sequence[HistoryCase],
    compared: Sequence[tuple[HistoryCase, HistoryRollout, TraceComparison]],
    counts: HistorySteps,
) -> dict[str, Any]:
    observations = [
        Observation(each.depth, each.divergence.kind if each.divergence else None) for _, _, each in compared
    ]
    return {
        "programs": len(cases),
        "attempted": sum(rollout.end == "outcome" for _, rollout, _ in compared),
        "output_exact": sum(each.same_outcome for _, _, each in compared) / max(1, len(cases)),
        "trace_exact": sum(each.complete for _, _, each in compared) / max(1, len(cases)),
        "step_exact": counts.share * len(compared) / max(1, len(cases)),
        "step_exact_by_type": counts.by_type,
        "action_exact": counts.action_share,
        "by_rule": _share(compared, "given"),
        "actions_by_rule": _share(compared, "rule"),
        "d50": reach(observations, 0.5).depth if observations else None,
        "d90": reach(observations, 0.9).depth if observations else None,
        "kinds": _kinds(compared),
        "tokens": sum(rollout.tokens for _, rollout, _ in compared),
        "step_tokens": counts.tokens,
    }


def _kinds(compared: Sequence[tuple[HistoryCase, HistoryRollout, TraceComparison]]) -> dict[str, int]:
    """Return the counts of first errors by kind, for actions by detail too, and of rollouts cut off."""
    kinds: defaultdict[str, int] = defaultdict(int)
    for _, rollout, each in compared:
        if each.divergence is not None:
            found = each.divergence
            kinds[f"action: {found.detail}" if found.kind == "action" else found.kind] += 1
        elif each.censored:
            kinds[f"censored: {rollout.end}"] += 1
    return dict(sorted(kinds.items()))


def _share(compared: Sequence[tuple[HistoryCase, HistoryRollout, TraceComparison]], mark: Mark) -> float:
    """Return the mean share of frames with a mark: `given` is all real, in `rule` the oracle gives only the state."""
    shares = [rollout.marks[1:].count(mark) / max(1, len(rollout.marks) - 1) for _, rollout, _ in compared]
    return sum(shares) / max(1, len(shares))

"""One protocol over all views: callers take `adapter_of(view)` and do not compare view names.

    MarkovAdapter    the local and the program view: a query shows one frame; programs are decomposed
    HistoryAdapter   the history view: a query shows all frames so far; programs are as written, or decomposed

A package that needs something more for each kind of view (comparison, debugger, search) keeps a table by `frame_type`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from cwm_agent import defaults
from cwm_agent.imagination.guides import Guide
from cwm_agent.imagination.history_rollouts import HistoryRollout, HistorySettings, HistoryStart, imagine_histories
from cwm_agent.imagination.history_start import history_call
from cwm_agent.imagination.imagined_rollout import Rollout, RolloutSettings, RolloutStart
from cwm_agent.imagination.rollout_loop import imagine
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.backends.replay import RealHistoryOf
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.history_registry import NoHistory, history_oracle_named
from cwm_agent.oracles.protocol import VIEWS, MarkovView, Oracle, View
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.stepper.first_frame import first_frame
from envs.execution.tracer.reality import Reality

Level = Literal["plain", "operations", "characters"]
FrameType = type[Frame] | type[HistoryFrame]
WorldRecord = Mapping[str, Any] | None
"""The record of a `tasks.scripted_world.ScriptedWorld`; None is the world without parts."""
OracleT = TypeVar("OracleT")
StartT = TypeVar("StartT")
RolloutT = TypeVar("RolloutT")
RealT = TypeVar("RealT")


class RealRuns(Protocol):
    """Runs calls for real and records them, as frames of either kind; a `world` is what the program's sources give."""

    def trace(self, program: Program, arguments: str, *, world: WorldRecord = None) -> Trace:
        """The frames with their heap and call stack."""
        ...

    def history(self, program: Program, arguments: str, *, world: WorldRecord = None) -> History:
        """The frames as the history view shows them."""
        ...


class ViewAdapter(Protocol[OracleT, StartT, RolloutT, RealT]):
    """One view: its programs, its oracles, its real runs and its rollouts."""

    frame_type: ClassVar[FrameType]
    """The kind of frames; views with equal kinds share frames."""
    default_guide: ClassVar[str]
    default_guides: ClassVar[tuple[str, ...]]
    """The default guides of a verification."""
    takes_level: ClassVar[bool]
    """Whether programs may also be shown as written, or decomposed to another level."""
    asks_single_steps: ClassVar[bool]
    """Whether a query shows one frame, so that any single step can be asked about."""

    @property
    def view(self) -> View: ...

    def program(self, source: str, entry: str, level: Level = "plain") -> Program:
        """The program as the view shows it; `level` counts only where the view takes one."""
        ...

    def program_for(self, source: str, entry: str, guide: Guide) -> Program:
        """The program at the level that a guide needs."""
        ...

    def oracle(self, name: str, reality: Callable[[], Reality], tell: RealHistoryOf) -> OracleT:
        """The oracle with a name; `reality` and `tell` give real runs to the oracles that use them."""
        ...

    def no_oracle(self) -> OracleT:
        """The oracle that answers nothing, for work without imagination."""
        ...

    def cached(self, oracle: OracleT) -> OracleT:
        """The oracle behind an answer cache, where queries of the view repeat."""
        ...

    def run(self, program: Program, arguments: str, runs: RealRuns, world: WorldRecord = None) -> RealT:
        """The real run of a call."""
        ...

    def start(self, program: Program, arguments: str, *, world: WorldRecord = None) -> StartT | Outcome:
        """The start of a call's rollout, or the outcome of a call that Python refuses."""
        ...

    def imagine(self, starts: Sequence[StartT], oracle: OracleT, guide: Guide, steps: int) -> list[RolloutT]:
        """Roll out all starts together, each for at most `steps` frames; a start may have a smaller limit."""
        ...

    def imagine_runs(
        self, runs: Sequence[tuple[Program, RealT]], oracle: OracleT, guide: Guide, slack: int
    ) -> list[RolloutT]:
        """Roll out calls whose real runs are known, for guides that need them.

        A rollout is cut off `slack` frames after the real run's length, in the history view after the longest one's.
        """
        ...


@dataclass(frozen=True, slots=True)
class MarkovAdapter:
    """The local or the program view."""

    view: MarkovView = "local"
    frame_type: ClassVar[FrameType] = Frame
    default_guide: ClassVar[str] = defaults.GUIDE
    default_guides: ClassVar[tuple[str, ...]] = (defaults.GUIDE,)
    takes_level: ClassVar[bool] = False
    asks_single_steps: ClassVar[bool] = True

    def program(self, source: str, entry: str, level: Level = "plain") -> Program:
        return decomposed(source, entry)

    def program_for(self, source: str, entry: str, guide: Guide) -> Program:
        return decomposed(source, entry)

    def oracle(self, name: str, reality: Callable[[], Reality], tell: RealHistoryOf) -> Oracle:
        return oracle_named(name, reality)

    def no_oracle(self) -> Oracle:
        return NoOracle()

    def cached(self, oracle: Oracle) -> CachedOracle:
        return CachedOracle(oracle)

    def run(self, program: Program, arguments: str, runs: RealRuns, world: WorldRecord = None) -> Trace:
        return runs.trace(program, arguments, world=world)

    def start(self, program: Program, arguments: str, *, world: WorldRecord = None) -> RolloutStart | Outcome:
        found = first_frame(program, arguments, (), world)
        return found if isinstance(found, Outcome) else RolloutStart(program, found)

    def imagine(self, starts: Sequence[RolloutStart], oracle: Oracle, guide: Guide, steps: int) -> list[Rollout]:
        return imagine(starts, oracle, RolloutSettings(view=self.view, guide=guide, steps=steps))

    def imagine_runs(
        self, runs: Sequence[tuple[Program, Trace]], oracle: Oracle, guide: Guide, slack: int
    ) -> list[Rollout]:
        starts = [RolloutStart(program, real.frames[0], real, len(real.frames) + slack) for program, real in runs]
        return self.imagine(starts, oracle, guide, max(len(real.frames) for _, real in runs) + slack)


@dataclass(frozen=True, slots=True)
class HistoryAdapter:
    """The history view."""

    view: Literal["history"] = "history"
    frame_type: ClassVar[FrameType] = HistoryFrame
    default_guide: ClassVar[str] = defaults.HISTORY_GUIDE
    default_guides: ClassVar[tuple[str, ...]] = ("free", "forced")
    takes_level: ClassVar[bool] = True
    asks_single_steps: ClassVar[bool] = False

    def program(self, source: str, entry: str, level: Level = "plain") -> Program:
        return plain(source, entry) if level == "plain" else decomposed(source, entry, level)

    def program_for(self, source: str, entry: str, guide: Guide) -> Program:
        return self.program(source, entry, "operations" if guide.freedom == "grounded" else "plain")

    def oracle(self, name: str, reality: Callable[[], Reality], tell: RealHistoryOf) -> HistoryOracle:
        return history_oracle_named(name, tell)

    def no_oracle(self) -> HistoryOracle:
        return NoHistory()

    def cached(self, oracle: HistoryOracle) -> HistoryOracle:
        return oracle  # a history holds the whole program, so queries of two programs are never equal

    def run(self, program: Program, arguments: str, runs: RealRuns, world: WorldRecord = None) -> History:
        return runs.history(program, arguments, world=world)

    def start(self, program: Program, arguments: str, *, world: WorldRecord = None) -> HistoryStart | Outcome:
        found = history_call(program, arguments, (), world)
        return found if isinstance(found, Outcome) else HistoryStart(program, found)

    def imagine(
        self, starts: Sequence[HistoryStart], oracle: HistoryOracle, guide: Guide, steps: int
    ) -> list[HistoryRollout]:
        return imagine_histories(starts, oracle, HistorySettings(guide, steps))

    def imagine_runs(
        self, runs: Sequence[tuple[Program, History]], oracle: HistoryOracle, guide: Guide, slack: int
    ) -> list[HistoryRollout]:
        starts = [HistoryStart(program, real.frames[0], real) for program, real in runs]
        return self.imagine(starts, oracle, guide, max(len(real.frames) for _, real in runs) + slack)


_ADAPTERS: dict[View, ViewAdapter[Any, Any, Any, Any]] = {
    "local": MarkovAdapter("local"),
    "program": MarkovAdapter("program"),
    "history": HistoryAdapter(),
}
assert set(_ADAPTERS) == set(VIEWS)


def adapter_of(view: View) -> ViewAdapter[Any, Any, Any, Any]:
    """The adapter of a view."""
    return _ADAPTERS[view]

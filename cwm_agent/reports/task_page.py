"""One task as data for its page: diff, tests, fault localisation, candidates, theatre and search tree.

What an episode lacks, because it is older, of another domain, over its limit or damaged, is named in `lacks`; the rest
is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.records.frame_deltas import BadFrames
from cwm_agent.reports.side_by_side import replacement, side_by_side
from cwm_agent.reports.theatre import ReportRuns, ScenePrograms, rollout_of, scene, scene_row, view_of
from envs.editing.edit import BadEdit, apply_patch
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import ExecutionError, ImpossibleState
from tasks import CallTest, CodeTest
from tasks.scripted_world import world_from
from tasks.task import FunctionTest, Test
from tasks.traced_calls import TracedCall, traced_call

FOREIGN = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError)
"""What reading JSON of another's making may raise: such a part of an episode is named as damaged."""
_PARTS = {
    "program": "the program and its diff",
    "tests": "the tests",
    "suspicion": "the fault localisation",
    "rollouts": "the frames of imagined runs",
    "tree": "the search tree",
}
_PARTS_OF = {"repair": tuple(_PARTS), "permutation": ("rollouts", "tree")}
"""What the episodes of a domain hold; others have a tree at most."""


def status_of(episode: Episode) -> str:
    """The word for what became of a task."""
    if episode.problem:
        return "failed"
    return (
        "right" if episode.right else "overfits" if episode.right is False else "solved" if episode.solved else "open"
    )


@dataclass(slots=True)
class TaskPage:
    """Makes the data of one task's page; `lacks` grows as parts turn out to be missing."""

    episode: Episode
    runs: ReportRuns
    lacks: list[str] = field(default_factory=list)

    @property
    def details(self) -> dict[str, Any]:
        return self.episode.details

    def rows(self) -> dict[str, Any]:
        """The data as JSON."""
        episode = self.episode
        self._name_missing()
        found: dict[str, Any] = {
            "id": episode.task,
            "status": status_of(episode),
            "plans": self.details.get("kind") == "permutation" or None,
            "problem": episode.problem,
            "patch": list(episode.patch),
            "diff": episode.diff,
            "spent": episode.spent,
            "confidence": episode.confidence,
            "imagination": list(episode.imagination),
            "difference": [[name.replace("_", " "), _flat(value)] for name, value in episode.difference.items()],
        }
        found["program"] = self._part("program", self._program)
        found["tests"] = self._part("tests", self._tests) or []
        found["heat"] = self._part("suspicion", self._heat) or []
        found["runs"] = self._part("runs", self._runs) or []
        found["theatre"] = self._part("rollouts", self._theatre)
        found["tree"] = self._part("tree", self._tree)
        if self.runs.problem:
            self.lacks.append(f"the real runs: {self.runs.problem}")
        found["lacks"] = self.lacks
        return {name: value for name, value in found.items() if value not in (None, "", [], {})}

    def _name_missing(self) -> None:
        self.lacks += [str(each)[:300] for each in self.details.get("left_out", ()) if isinstance(each, str)]
        if self.episode.problem:
            return
        if not self.details:
            self.lacks.append("program, tests, search tree and frames: the episode was written by an older version")
            return
        parts = _PARTS_OF.get(str(self.details.get("kind")))
        if parts is None:
            self.lacks.append("program, tests and frames: this domain records the search tree only")
            return
        named = " ".join(self.lacks)
        self.lacks += [_PARTS[name] for name in parts if name not in self.details and _PARTS[name] not in named]

    def _part(self, name: str, made: Callable[[], Any]) -> Any:
        try:
            return made() if name in self.details or name == "runs" else None
        except FOREIGN as error:
            self.lacks.append(f"{_PARTS.get(name, name)}: damaged ({type(error).__name__}: {error})"[:300])
            return None

    def _program(self) -> dict[str, Any]:
        source = _text(self.details["program"]["source"])
        try:
            after = apply_patch(source, self.episode.patch)
        except BadEdit as error:
            self.lacks.append(f"the patched program: {error}"[:300])
            after = source
        rows = side_by_side(source, after)
        return {"entry": _text(self.details["program"]["entry"]), "source": source, "sides": rows}

    def _tests(self) -> list[dict[str, Any]]:
        entry, before = self.details["program"]["entry"], self.details.get("before", {})
        number = next((at for at, run in enumerate(self.episode.runs) if run.patch == self.episode.patch), None)
        values = _at(self.details.get("runs", []), number)["values"] if number is not None else []
        found = []
        for at, test in enumerate(self.details["tests"]):
            row: dict[str, Any] = {"text": _test_text(test, entry), "expected": test.get("expected")}
            row["before"] = [_at(before.get("marks", ()), at), _at(before.get("values", ()), at)]
            row["after"] = [True, _at(values, at)] if self.episode.solved else None
            row["trusted"] = _at(self.episode.trusted, at)
            found.append(row)
        return found

    def _heat(self) -> list[list[float]]:
        return [[int(line), float(value)] for line, value in self.details["suspicion"]]

    def _runs(self) -> list[dict[str, Any]]:
        extra = self.details.get("runs", [])
        found = []
        for at, run in enumerate(self.episode.runs):
            more = _at(extra, at) or {}
            row: dict[str, Any] = {"patch": list(run.patch), "believed": run.imagined, "odds": more.get("odds")}
            imagined, values = more.get("imagined", ()), more.get("values", ())
            row["tests"] = [
                [belief, mark, *(_at(imagined, test) or [None, None]), _at(values, test)]
                for test, (belief, mark) in enumerate(zip(run.beliefs, run.marks, strict=False))
            ]
            found.append(row)
        return found

    def _theatre(self) -> dict[str, Any]:
        programs, scenes, damaged = ScenePrograms(), [], 0
        for row in self.details["rollouts"]:
            try:
                scenes.append(self._scene(row, programs))
            except (BadFrames, BadEdit, ExecutionError, ImpossibleState, *FOREIGN):
                damaged += 1
        if damaged:
            self.lacks.append(f"{damaged} imagined runs: their frames are damaged")
        return {"programs": programs.rows, "scenes": scenes}

    def _scene(self, row: dict[str, Any], programs: ScenePrograms) -> dict[str, Any]:
        patch = [_text(each) for each in row["patch"]]
        view, guide = view_of(self.episode.settings)
        adapter, rollout = adapter_of(view), rollout_of(row)
        call = self._plan_call(row) if "source" in row else self._test_call(row, patch, adapter.frame_type is Frame)
        if call is None:
            raise BadFrames("a test that cannot be run again")
        program = replace(adapter.program_for(call.source, call.first, guide), entry=call.entry)
        real = self.runs.real(view, program, call.arguments, call.world.record())
        imagined = {name: row[name] for name in ("frames", "marks", "logprobs", "end", "outcome", "reason")}
        number = next((at for at, run in enumerate(self.episode.runs) if list(run.patch) == patch), None)
        head = {"test": int(row.get("test", 0)), "patch": patch, "run": number}
        return {**head, **scene_row(scene(program, rollout, view, real), imagined, programs)}

    def _plan_call(self, row: dict[str, Any]) -> TracedCall:
        """The call of a plan's program; every plan of a task is called with the same arguments."""
        entry = _text(self.details["call"]["entry"])
        return TracedCall(_text(row["source"]), entry, _text(self.details["call"]["arguments"]), entry)

    def _test_call(self, row: dict[str, Any], patch: list[str], together: bool) -> TracedCall | None:
        """The call that a test makes of a patched program; with `together` all tests' functions stand behind it."""
        tests, written = self.details["tests"], self.details["program"]
        test = tests[row["test"]]
        others = tuple(_test(each) for each in tests if not each.get("cut")) if together else ()
        source = apply_patch(written["source"], patch)
        return None if test.get("cut") else traced_call(source, written["entry"], _test(test), others)

    def _tree(self) -> dict[str, Any] | None:
        tree = self.details["tree"]
        if not tree["nodes"]:  # nothing was searched: solved at once, or the budget was spent before
            return None
        nodes: list[list[Any]] = []
        sources: list[str | None] = []
        first = self.details.get("program", {}).get("source")
        for at, row in enumerate(tree["nodes"]):
            parent = int(row[0])
            if not (0 <= parent < at or (at == 0 and parent == -1)):
                raise ValueError(f"node {at} has the parent {parent}")
            before = sources[parent] if at else None
            after = first if not at else _edited(before, _text(row[1]))
            sources.append(after)
            edit = replacement(before, after) if before is not None and after is not None else None
            nodes.append([*[parent, _text(row[1])], *row[2:8], edit])
        return {"nodes": nodes, "left_out": int(tree["left_out"]), "searches": int(tree["searches"])}


def _test(row: dict[str, Any]) -> Test:
    """The test of a row of an episode."""
    if "arguments" in row or "code" not in row:
        return CallTest(row.get("arguments", ""), _text(row["expected"]), world=world_from(row.get("world", {})))
    if "expected" in row:
        setup, world = _text(row.get("setup", "")), world_from(row.get("world", {}))
        return FunctionTest(_text(row["code"]), _text(row["expected"]), setup=setup, world=world)
    return CodeTest(_text(row["code"]))


def _test_text(row: dict[str, Any], entry: str) -> str:
    """The test as a reader would write it, without its expected result."""
    if "code" in row:
        return "\n".join(filter(None, [_text(row.get("setup", "")), _text(row["code"])]))
    return f"{entry}({_text(row.get('arguments', ''))})"


def _edited(source: str | None, action: str) -> str | None:
    """The program after the edits of a node; None where its actions are no edits."""
    if source is None:
        return None
    try:
        return apply_patch(source, action.split(" ; ") if " ; " in action else [action])
    except BadEdit:
        return None


def _flat(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _at(values: Sequence[Any], at: int) -> Any:
    return values[at] if at < len(values) else None

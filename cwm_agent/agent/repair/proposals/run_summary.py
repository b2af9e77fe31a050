"""An imagined run as a few lines of text, in lines of the program as written:

line 3: a, b = b, a    with a = 1, b = 2
...
returned 3
"""

from cwm_agent.imagination.history_rollouts import HistoryRollout
from cwm_agent.imagination.rollout_loop import Rollout
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.state.value_grammar import expanded
from tasks.reading.program_text import bare_lines

LINES = 40
"""Lines of a summary; of a longer run the first and the last ones are shown."""
CHARACTERS = 200
"""Characters of one line."""


def summary_of(source: str, program: Program, rollout: Rollout | HistoryRollout) -> str:
    """The run, line by line of the program as written, with the values before each line, and its outcome."""
    written = bare_lines(source)
    rows: list[tuple[int, str]] = []
    for frame in rollout.frames:
        line = _line(program, frame)
        if frame.event == "line" and 0 < line <= len(written) and (not rows or rows[-1][0] != line):
            values = ", ".join(f"{name} = {value}" for name, value in _values(program, frame))
            rows.append((line, f"line {line}: {written[line - 1].strip()}    with {values}"[:CHARACTERS]))
    lines = [text for _, text in rows]
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], "...", *lines[-LINES // 2 :]]
    end = f"{rollout.outcome.ending} {rollout.outcome.value}" if rollout.outcome else "not known further"
    return "\n".join([*lines, end[:CHARACTERS]])


def _line(program: Program, frame: Frame | HistoryFrame) -> int:
    """The frame's line of the program as written; 0 where it has none."""
    line = frame.line if isinstance(frame, Frame) else next(iter(frame.lines), 0)
    return program.origin[line - 1] if 0 < line <= len(program.origin) else 0


def _values(program: Program, frame: Frame | HistoryFrame) -> list[tuple[str, str]]:
    heap = dict(frame.heap) if isinstance(frame, Frame) else {}
    shown = [row for row in frame.locals if row[0] not in program.temporaries and not row[0].startswith("@")]
    return [(name, expanded(text, heap) if heap else text) for name, text in shown]

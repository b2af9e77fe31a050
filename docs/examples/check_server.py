"""Checks that an OpenAI-compatible server keeps the contract of the oracle; run it against a real one:

    vllm serve facebook/cwm --enable-prefix-caching
    python docs/examples/check_server.py facebook/cwm http://localhost:8000/v1

Prints what the server can do, then imagines one swap program under three guides and compares with the known result.
Nothing runs for real here. Exit status 0: the contract holds.
"""

import sys

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.history_rollouts import HistorySettings, HistoryStart, imagine_histories
from cwm_agent.oracles.backends.openai.server_history import OpenAiHistory
from cwm_agent.oracles.protocol import OracleError
from envs.execution.decompose.program import plain
from envs.execution.state.frames import Outcome
from envs.execution.state.history_frames import History, HistoryFrame

SOURCE = "def f(a, b, c):\n    a, b = b, a\n    b, c = c, b\n    c, a = a, c\n    return [a, b, c]\n"
STATES = [(1, 2, 3), (1, 2, 3), (2, 1, 3), (2, 3, 1), (1, 3, 2)]


def known_run() -> History:
    """The run of f(1, 2, 3), written by hand."""
    lines = SOURCE.splitlines()
    frames = []
    for number, (line, state) in enumerate(zip(lines, STATES, strict=True), start=1):
        rows = tuple(zip("abc", map(repr, state), strict=True))
        frames.append(HistoryFrame("line" if number > 1 else "call", line, (number,), rows))
    frames.append(HistoryFrame("return", lines[-1], (len(lines),), (), arg="[1, 3, 2]"))
    return History(tuple(frames), Outcome("returned", "[1, 3, 2]"))


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    try:
        oracle = OpenAiHistory.load(f"{sys.argv[1]}@{sys.argv[2]}")
        print(oracle.name)
        real = known_run()
        start = HistoryStart(plain(SOURCE, "f"), real.frames[0], real)
        kept = True
        for guide in ("free", "cfg", "forced"):
            [found] = imagine_histories([start], oracle, HistorySettings(parse_guide(guide), 20))
            kept &= found.end == "outcome"
            right = "as it really is" if found.outcome == real.outcome else f"imagined {found.outcome}"
            print(f"{guide:8s} {found.end:10s} {found.reason or right}; {found.tokens} tokens")
    except OracleError as error:
        print(error)
        return 1
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""Fuzzes the readers of run folders: episodes, and rows of JSONL files."""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from hypothesis import strategies as st

from benchmarks.fuzzers.harness.fuzzer import Data, Fuzzer
from benchmarks.fuzzers.harness.mutations import changed_json, changed_text, json_values, nested
from cwm_agent.agent.episodes import episode
from cwm_agent.records.jsonl_file import BadRecords, JsonlFile, read_jsonl

_RUN = episode.RealRun(("x",), 0.5, (True, None), (False, True))
ROWS = [
    asdict(
        episode.Episode(
            "a", True, None, ("x 1:2: '<' -> '<='",), trusted=(True, None), runs=(_RUN,), spent={"tokens": 3}
        )
    ),
    asdict(episode.Episode("b", False, False, problem="no", settings={"oracle": "exact"})),
    {"task": "c", "solved": False, "right": None},
]


def _files() -> st.SearchStrategy[Data]:
    row = st.sampled_from(ROWS)
    rows = row | changed_json(row) | json_values()
    lines = st.lists(rows.map(json.dumps), max_size=5).map("\n".join)
    return lines | changed_text(lines, ["\n", "{", "}", '"version": 9', "null"]) | nested("[", "", "]", 20_000)


def _check_episodes(data: Data) -> str:
    messages: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "episodes.jsonl"
        path.write_bytes(data.encode("utf-8", "surrogatepass"))
        try:
            found = episode.read(path, skipped=messages.append)
        except episode.BadEpisodes:
            return "BadEpisodes"
    for each in found:
        assert isinstance(each.executions, int)
        json.dumps(asdict(each))
    assert all(len(message) < 20_000 for message in messages)
    return f"{min(2, len(found))} episodes, {min(2, len(messages))} skipped"


def _check_rows(data: Data) -> str:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.jsonl"
        path.write_bytes(data.encode("utf-8", "surrogatepass"))
        try:
            with JsonlFile(path) as file:
                file.append({"task": "z"})
            rows = read_jsonl(path)
        except BadRecords:
            return "BadRecords"
    assert rows[-1] == {"task": "z"}
    return f"{min(2, len(rows) - 1)} rows"


FUZZERS = (
    Fuzzer("episodes", "a file of episodes: whole ones, or BadEpisodes", _files, _check_episodes),
    Fuzzer("rows", "a file of rows: appended to whole, or BadRecords", _files, _check_rows),
)
